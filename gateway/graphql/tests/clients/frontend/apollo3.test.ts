import { ApolloClient, ApolloError, HttpLink, InMemoryCache } from "apollo3/core/index.js";
import { relayStylePagination } from "apollo3/utilities/index.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import * as documents from "./generated/graphql.ts";
import { ProductPageDocument } from "./generated/graphql.ts";
import { buy, type Send } from "./journey.ts";
import { browser, newEmail, shop } from "./shop.ts";

function client(visitor = browser()) {
  const cache = new InMemoryCache({
    typePolicies: { Query: { fields: { products: relayStylePagination(["filter", "sort"]) } } },
  });
  return new ApolloClient({ cache, link: new HttpLink({ uri: shop.url, fetch: visitor.fetch }) });
}

test("fetchMore joins pages that follow each other", async () => {
  const apollo = client();
  const pages = apollo.watchQuery({ query: ProductPageDocument, variables: { category: "audio", first: 7 } });
  const kept = pages.subscribe(() => {});
  let page = (await pages.result()).data.products.pageInfo;
  while (page.hasNextPage) {
    page = (await pages.fetchMore({ variables: { after: page.endCursor } })).data.products.pageInfo;
  }
  kept.unsubscribe();

  const names = pages.getCurrentResult().data.products.edges.map((edge) => edge.node.name);
  assert.equal(names.length, Number(shop["products"]));
  assert.equal(new Set(names).size, names.length);
});

test("a broken request is an error with its code", async () => {
  const broken = client().query({ query: ProductPageDocument, variables: { category: "audio", first: 101 } });

  await assert.rejects(broken, (error) => (error as ApolloError).graphQLErrors[0]!.extensions!["code"] === "LIMIT_EXCEEDED");
});

test("a buyer buys", async () => {
  const apollo = client();
  const send: Send = async (operation, variables) => {
    const document = (documents as any)[`${operation}Document`];
    if (operation.endsWith("Mutation")) return (await apollo.mutate({ mutation: document, variables })).data;
    return (await apollo.query({ query: document, variables, fetchPolicy: "network-only" })).data;
  };

  await buy(send, newEmail());
});
