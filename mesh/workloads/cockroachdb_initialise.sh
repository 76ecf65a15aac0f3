# Makes one cluster of all members that joined: safe to be done again, and done again until it is.

PATH=/cockroach:$PATH

said=$(cockroach init --certs-dir=/certificates --host="$FIRST_MEMBER" 2>&1)
status=$?
echo "$said"
case $status:$said in
0:* | *"already been initialized"*) ;;
*) exit 1 ;;
esac

if [ "${LICENCE:-}" ]; then
    # By standard input, as arguments can be read in the list of processes.
    printf "SET CLUSTER SETTING enterprise.license = '%s';\n" "$LICENCE" |
        cockroach sql --certs-dir=/certificates --host="$FIRST_MEMBER" || exit 1
fi
