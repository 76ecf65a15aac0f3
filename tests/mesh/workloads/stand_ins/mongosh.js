// A stand-in for mongosh and the servers behind it, which can't be had here: the commands that the
// scripts use answer as MongoDB's documentation says. State comes and goes as JSON:
// {down: [host], set: null | {config, primary, states}, users: [name]}.
// usage: node mongosh.js SCRIPT STATE

const fs = require("fs");
const vm = require("vm");

const [script, path] = process.argv.slice(2);
const state = JSON.parse(fs.readFileSync(path, "utf8"));

const reply = {
  replSetInitiate: ({ replSetInitiate: config }) => {
    if (state.down.length) return { ok: 0, errmsg: "No host described in new configuration" };
    state.set = { config: { ...config, version: 1 }, primary: config.members[0].host, states: {} };
    return { ok: 1 };
  },
  replSetGetConfig: () => ({ ok: 1, config: state.set.config }),
  replSetReconfig: ({ replSetReconfig: config }) => {
    const added = config.members.length - state.set.config.members.length;
    if (added > 1) return { ok: 0, errmsg: "Non force replica set reconfig can only add one" };
    if (config.members.filter(({ votes }) => votes !== 0).length > 7) {
      return { ok: 0, errmsg: "Replica set configuration contains 8 voting members" };
    }
    if (config.version !== state.set.config.version + 1) return { ok: 0, errmsg: "version" };
    state.set.config = config;
    return { ok: 1 };
  },
  replSetGetStatus: () => ({
    ok: 1,
    members: state.set.config.members.map(({ host }) => ({
      name: host,
      stateStr: state.set.states[host] ?? (host === state.set.primary ? "PRIMARY" : "SECONDARY"),
    })),
  }),
  createUser: ({ createUser: name }) => {
    if (state.users.includes(name)) return { ok: 0, code: 51003, errmsg: "already exists" };
    state.users.push(name);
    return { ok: 1 };
  },
};

class Mongo {
  constructor(uri) {
    this.uri = new URL(uri);
    const wanted = ["tls", "tlsCAFile", "tlsCertificateKeyFile", "authMechanism"];
    for (const option of wanted) {
      if (!this.uri.searchParams.get(option)) throw new Error(`no ${option}`);
    }
    if (state.down.includes(this.uri.host)) throw new Error("connection timed out");
  }
  getDB() {
    const database = {
      hello: () => ({ setName: state.set?.config._id, primary: state.set?.primary }),
      runCommand: (command) => reply[Object.keys(command)[0]](command),
      getSiblingDB: (name) => ({ ...database, name }),
    };
    return database;
  }
}

const quit = (code) => {
  fs.writeFileSync(path, JSON.stringify(state));
  process.exit(code);
};
const globals = { Mongo, require, process, quit, print: console.log, sleep: () => {} };
vm.runInNewContext(fs.readFileSync(script, "utf8"), globals, { filename: script });
quit(0);
