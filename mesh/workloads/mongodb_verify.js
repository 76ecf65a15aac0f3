// Ends well once every member of every cluster is in the replica set and has the data.

const status = asked(connected(process.env.SERVICE), { replSetGetStatus: 1 });
const states = new Map(status.members.map(({ name, stateStr }) => [name, stateStr]));
const missing = wanted.members
  .map(({ host }) => [host, states.get(host) ?? "not in the replica set"])
  .filter(([, state]) => state !== "PRIMARY" && state !== "SECONDARY");

for (const [host, state] of missing) print(`${host}: ${state}`);
if (missing.length) quit(1);
print(`all ${wanted.members.length} members are in the replica set`);
