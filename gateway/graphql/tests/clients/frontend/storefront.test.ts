// The page docs/storefront.md: its client and its operations, by Apollo Client and by Relay.
import { ApolloClient, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import assert from "node:assert/strict";
import { test } from "node:test";
import { commitMutation, Environment, fetchQuery, getRequest, Network, RecordSource, Store } from "relay-runtime";

import * as documents from "./generated/graphql.ts";
import { buy, type Send } from "./journey.ts";
import * as operations from "./relay/Storefront.ts";
import { browser, newEmail, shop } from "./shop.ts";

test("Apollo Client buys with the operations of the page", async () => {
  const visitor = browser();
  const client = new ApolloClient({
    link: new HttpLink({ uri: shop.url, credentials: "include", fetch: visitor.fetch }),
    cache: new InMemoryCache({
      typePolicies: {
        Query: { fields: { products: relayStylePagination(["filter", "sort"]) } },
        Viewer: { merge: true, fields: { orders: relayStylePagination(["status"]) } },
      },
    }),
  });
  const send: Send = async (operation, variables) => {
    const document = (documents as any)[`${operation}Document`];
    if (operation.endsWith("Mutation")) return (await client.mutate({ mutation: document, variables })).data;
    return (await client.query({ query: document, variables, fetchPolicy: "network-only" })).data;
  };

  await buy(send, newEmail());
});

test("Relay buys with the operations of the page", async () => {
  const visitor = browser();
  const network = Network.create(async (request, variables) => {
    const body = JSON.stringify({ query: request.text, variables });
    const headers = { "content-type": "application/json" };
    return (await visitor.fetch(shop.url, { method: "POST", headers, body })).json() as any;
  });
  const relay = new Environment({ network, store: new Store(new RecordSource()) });
  const send: Send = async (operation, variables = {}) => {
    const node = (operations as any)[operation];
    assert.equal(getRequest(node).params.name, operation);
    if (!operation.endsWith("Mutation")) return fetchQuery(relay, node, variables).toPromise();
    return new Promise((onCompleted, onError) => commitMutation(relay, { mutation: node, variables, onCompleted, onError }));
  };

  await buy(send, newEmail());
});
