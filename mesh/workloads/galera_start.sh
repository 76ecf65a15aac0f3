# Starts a member of a stretched Galera cluster: never two clusters, whatever comes up first.
#
# Who has data asks its peers to be let in again. Who has none waits in a server without
# replication, which says so to whoever asks. The first cluster is made by the first member alone,
# and only when every other member says that it has no data either: no cut between the sites and
# no lost volume can make a second one.

settings=/configuration/galera.cnf
volume=/var/lib/mysql
data=$volume/data
first=${MEMBERS%%,*}
others=$(printf '%s\n' "$MEMBERS" | tr ',' '\n' | grep -vxF "$MEMBER_NAME")

# The way to hand over all data that is encrypted, where the image has it: its program logs in by
# the name of the system's user.
transfer=rsync
if command -v mariadb-backup >/dev/null && [ "$(id -un 2>/dev/null)" = mysql ]; then
    transfer=mariabackup
fi

say() {
    echo "start: $*"
}

serve() {
    say "replicating with $MEMBERS"
    exec mariadbd --defaults-file="$settings" \
        --wsrep-cluster-address="gcomm://$MEMBERS" \
        --wsrep-node-name="$MEMBER_NAME" \
        --wsrep-node-address="$MEMBER_NAME" \
        --wsrep-sst-method="$transfer" \
        --wsrep-sst-donor="$first," \
        --wsrep-sst-auth=mysql: "$@"
}

status_of() {
    mariadb --defaults-file=/configuration/member.cnf --host="$1" --connect-timeout=3 \
        --skip-column-names --batch --execute="SHOW STATUS LIKE 'wsrep_cluster_status'" \
        2>/dev/null | cut -f 2
}

if [ -e "$volume/bootstrap" ]; then
    # By hand, after all members were stopped; Galera itself refuses it where data may be old.
    say "$volume/bootstrap is there: starting the cluster from the data of this member"
    rm "$volume/bootstrap"
    serve --wsrep-new-cluster
fi
if [ -e "$data/grastate.dat" ]; then serve; fi

say "no data yet: waiting for a cluster, or for all others to have none either"
rm -rf "$data"
mariadb-install-db --no-defaults --datadir="$data" --skip-test-db \
    --auth-root-authentication-method=socket --auth-root-socket-user=mysql \
    >"$volume/install.log" 2>&1 ||
    { cat "$volume/install.log"; exit 1; }
mariadbd --defaults-file="$settings" --wsrep-on=OFF --wsrep-provider=none \
    --init-file=/configuration/users.sql &
waiting=$!
trap 'kill $waiting; wait $waiting; exit 0' TERM INT

new=
while kill -0 $waiting; do
    empty=0 count=0 found=
    for member in $others; do
        count=$((count + 1))
        case $(status_of "$member") in
        Primary) found=$member ;;
        Disconnected) empty=$((empty + 1)) ;;
        esac
    done
    if [ "$found" ]; then
        say "$found is in the cluster"
        break
    fi
    if [ "$MEMBER_NAME" = "$first" ] && [ $empty -eq $count ]; then
        say "none of the $count others has data: making the cluster"
        new=--wsrep-new-cluster
        break
    fi
    sleep 2
done

trap - TERM INT
kill $waiting
wait $waiting
serve $new
