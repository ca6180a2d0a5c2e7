// A real Apollo Client with automatic persisted queries, hashed queries by GET. Runs one query as often as it is told,
// each time with a fresh cache, and prints what went over the wire and what the client made of it.
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { PersistedQueryLink } from "@apollo/client/link/persisted-queries";
import { createHash } from "node:crypto";

const [url, times, query] = process.argv.slice(2);
const exchanges = [];

const recordingFetch = async (address, options) => {
  const response = await fetch(address, options);
  const sent = options.method === "GET" ? Object.fromEntries(new URL(address).searchParams) : JSON.parse(options.body);
  exchanges.push({
    method: options.method,
    withQuery: Boolean(sent.query),
    status: response.status,
    cacheControl: response.headers.get("cache-control"),
    code: (await response.clone().json()).errors?.[0]?.extensions?.code ?? null,
  });
  return response;
};

const results = [];
for (let run = 0; run < Number(times); run += 1) {
  const client = new ApolloClient({
    cache: new InMemoryCache(),
    link: ApolloLink.from([
      new PersistedQueryLink({
        sha256: (text) => createHash("sha256").update(text).digest("hex"),
        useGETForHashedQueries: true,
      }),
      new HttpLink({ uri: url, fetch: recordingFetch }),
    ]),
  });
  const { data } = await client.query({ query: gql(query) });
  results.push(data);
}
console.log(JSON.stringify({ exchanges, results }));
