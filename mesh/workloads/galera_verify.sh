# Ends well when every member has the same data and sees all others.

count=$(printf '%s\n' "$MEMBERS" | tr ',' '\n' | wc -l)
for member in $(printf '%s' "$MEMBERS" | tr ',' ' '); do
    found=$(mariadb --defaults-file=/configuration/client.cnf --host="$member" \
        --connect-timeout=10 --skip-column-names --batch --execute="
            SELECT GROUP_CONCAT(variable_value ORDER BY variable_name SEPARATOR ' ')
            FROM information_schema.global_status
            WHERE variable_name IN
                ('wsrep_cluster_size', 'wsrep_cluster_status', 'wsrep_local_state_comment')")
    if [ "$found" != "$count Primary Synced" ]; then
        echo "$member: ${found:-no answer}, and not $count Primary Synced"
        exit 1
    fi
done
echo "all $count members are in and have the same data"
