// Makes one replica set of all members, and takes in those that came later. Safe to be done again.

function primary() {
  const away = [];
  for (const { host } of wanted.members) {
    let hello;
    try {
      hello = connected(host).hello();
    } catch (error) {
      away.push(`${host}: ${error.message}`);
      continue;
    }
    if (hello.primary) return connected(hello.primary);
    if (hello.setName) throw new Error(`the replica set has no primary yet, says ${host}`);
  }
  // Who can't be asked may be in a replica set already: only all together make a new one.
  if (away.length) throw new Error(`waiting for ${away.join("; ")}`);
  return undefined;
}

function primaryOrNone() {
  try {
    return primary();
  } catch {
    return undefined;
  }
}

function initiate() {
  const members = wanted.members.map((member, number) => ({ _id: number, ...member }));
  asked(connected(members[0].host), { replSetInitiate: { _id: wanted.name, members } });
  print(`made the replica set of ${members.length} members`);
}

function takeIn(database) {
  const { config } = asked(database, { replSetGetConfig: 1 });
  const known = config.members.map(({ host }) => host);
  const newcomer = wanted.members.find(({ host }) => !known.includes(host));
  if (!newcomer) return false;
  // One at a time: MongoDB takes no more than one new vote at once.
  const number = Math.max(...config.members.map(({ _id }) => _id)) + 1;
  // Members that left keep their votes: seven may be taken, whatever the place in the list.
  const voting = config.members.filter(({ votes }) => votes !== 0).length;
  const silent = voting < wanted.voters ? {} : { votes: 0, priority: 0 };
  const members = [...config.members, { _id: number, ...newcomer, ...silent }];
  asked(database, { replSetReconfig: { ...config, version: config.version + 1, members } });
  print(`took in ${newcomer.host}`);
  return true;
}

function letInClients(database) {
  const user = `CN=${wanted.name}-client`;
  const answer = database.getSiblingDB("$external").runCommand({
    createUser: user,
    roles: [{ role: "root", db: "admin" }],
  });
  const isThere = answer.code === 51003;
  if (!answer.ok && !isThere) throw new Error(answer.errmsg);
}

let database = primary();
if (!database) initiate();
for (let tries = 0; !database; tries++) {
  if (tries === 60) throw new Error("no member became primary within a minute");
  sleep(1000);
  database = primaryOrNone();
}
while (takeIn(database));
letInClients(database);
