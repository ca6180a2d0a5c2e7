// Makes a sharded cluster of the servers that docker-compose.yml starts: initiates the replica sets, then adds the shards.
// Runs in mongosh. What is already done is left alone, so it may run at every start and after a crash at any line.
//
//   CONFIG_SERVERS  config/config1:27019,config2:27019,…     the set's name and its members
//   SHARDS          shard1/shard1a:27018,… shard2/…          one such word per shard
//   MONGOS          mongos1:27017                            where shards are added

const PATIENCE_MS = 120_000; // a first start on a slow disk: nine mongod and two elections
const PAUSE_MS = 500;
const NOT_YET_INITIATED = 94; // MongoDB's error code NotYetInitialized

function parse(set) {
  const [name, members] = set.split("/");
  return { name, hosts: members.split(",") };
}

function command(uri, body) {
  return new Mongo(uri).getDB("admin").runCommand(body);
}

/** The first answer of `attempt` that is true; an exception counts as «not yet». */
function waitFor(what, attempt) {
  const deadline = Date.now() + PATIENCE_MS;
  let last = "no answer";
  while (Date.now() < deadline) {
    try {
      const answer = attempt();
      if (answer) return answer;
    } catch (error) {
      last = error.message;
    }
    sleep(PAUSE_MS);
  }
  throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s; last: ${last}`);
}

function currentHosts(set) {
  try {
    const { config } = command(`mongodb://${set.hosts[0]}/?directConnection=true`, { replSetGetConfig: 1 });
    return config.members.map((member) => member.host);
  } catch (error) {
    if (error.code === NOT_YET_INITIATED) return null;
    throw error;
  }
}

function initiate(set, { configsvr }) {
  const current = currentHosts(set);
  if (current === null) {
    command(`mongodb://${set.hosts[0]}/?directConnection=true`, {
      replSetInitiate: { _id: set.name, configsvr, members: set.hosts.map((host, _id) => ({ _id, host })) },
    });
    print(`${set.name}: initiated with ${set.hosts.join(", ")}`);
  } else if (current.join() !== set.hosts.join()) {
    throw new Error(`${set.name} has the members ${current.join(", ")}, not ${set.hosts.join(", ")}: use rs.reconfig()`);
  } else {
    print(`${set.name}: already initiated`);
  }
}

function waitForPrimary(set) {
  const uri = `mongodb://${set.hosts.join(",")}/?replicaSet=${set.name}&serverSelectionTimeoutMS=2000`;
  waitFor(`a primary of ${set.name}`, () => command(uri, { hello: 1 }).isWritablePrimary);
}

function addShard(mongos, shard) {
  const known = command(mongos, { listShards: 1 }).shards.map(({ _id }) => _id);
  if (known.includes(shard.name)) {
    print(`${shard.name}: already a shard`);
  } else {
    command(mongos, { addShard: `${shard.name}/${shard.hosts.join(",")}`, name: shard.name });
    print(`${shard.name}: added`);
  }
}

const configServers = parse(process.env.CONFIG_SERVERS);
const shards = process.env.SHARDS.split(" ").map(parse);
const mongos = `mongodb://${process.env.MONGOS}/?serverSelectionTimeoutMS=2000`;

initiate(configServers, { configsvr: true });
shards.forEach((shard) => initiate(shard, { configsvr: false }));
[configServers, ...shards].forEach(waitForPrimary);
// mongos opens its port only once the config servers have a primary.
waitFor("mongos", () => command(mongos, { ping: 1 }).ok);
shards.forEach((shard) => addShard(mongos, shard));
