// What comes before both scripts: the members that there shall be, and a connection to one.

const fs = require("fs");
const wanted = JSON.parse(fs.readFileSync("/configuration/members.json", "utf8"));

function connected(host) {
  const options = [
    "directConnection=true",
    "serverSelectionTimeoutMS=5000",
    "tls=true",
    "tlsCAFile=/certificates/ca.crt",
    `tlsCertificateKeyFile=/certificates/${process.env.CERTIFICATE}`,
    "authMechanism=MONGODB-X509",
  ];
  return new Mongo(`mongodb://${host}/?${options.join("&")}`).getDB("admin");
}

function asked(database, command) {
  const answer = database.runCommand(command);
  if (!answer.ok) throw new Error(answer.errmsg);
  return answer;
}
