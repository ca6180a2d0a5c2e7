// One GraphQL server of the Node world, each set up as its own documentation begins.
// node server.mjs apollo|apollo-cached|yoga|mercurius PORT MONGODB_URI DATABASE SCHEMA SHOP
import fs from "node:fs";
import { createServer } from "node:http";
import { ApolloServer } from "@apollo/server";
import { ApolloServerPluginCacheControl } from "@apollo/server/plugin/cacheControl";
import responseCache from "@apollo/server-plugin-response-cache";
import { startStandaloneServer } from "@apollo/server/standalone";
import fastify from "fastify";
import { createSchema, createYoga } from "graphql-yoga";
import mercurius from "mercurius";
import { MongoClient } from "mongodb";
import { contract } from "./contract.mjs";

const [kind, port, uri, database, schemaFile, shopFile] = process.argv.slice(2);
// As long as the gateway lets a list of products be cached.
const MAX_AGE = 30;

const client = await new MongoClient(uri, { readPreference: "secondaryPreferred" }).connect();
const resolvers = await contract(client.db(database), JSON.parse(fs.readFileSync(shopFile, "utf8")));
const typeDefs = fs.readFileSync(schemaFile, "utf8");
const listen = { port: Number(port), host: "127.0.0.1" };

const apollo = (plugins) => startStandaloneServer(new ApolloServer({ typeDefs, resolvers, plugins }), { listen });

const servers = {
  apollo: () => apollo([]),
  "apollo-cached": () =>
    apollo([ApolloServerPluginCacheControl({ defaultMaxAge: MAX_AGE }), responseCache()]),
  yoga: () => createServer(createYoga({ schema: createSchema({ typeDefs, resolvers }), logging: false })).listen(listen),
  // Which names an interface's resolver by another word.
  mercurius: () => {
    const named = { ...resolvers, Node: { resolveType: resolvers.Node.__resolveType } };
    return fastify().register(mercurius, { schema: typeDefs, resolvers: named, jit: 1 }).listen(listen);
  },
};
await servers[kind]();
