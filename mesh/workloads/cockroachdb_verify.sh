# Exits with 0 once every member of every cluster is a live node of the one database.

PATH=/cockroach:$PATH
nodes=$(cockroach node status --certs-dir=/certificates --host="$SERVICE" --format=tsv) ||
    exit 1
tab=$(printf '\t')
missing=
for member in $(echo "$MEMBERS" | tr , ' '); do
    found=
    while IFS= read -r line; do
        # The second column is the address, the last one says whether the node is live.
        case $line in
        *"$tab$member:26257$tab"*"${tab}true") found=yes ;;
        esac
    done <<NODES
$nodes
NODES
    [ "$found" ] || missing="$missing $member"
done

if [ "$missing" ]; then
    echo "not live yet:$missing"
    exit 1
fi
echo "all members are live: $MEMBERS"
