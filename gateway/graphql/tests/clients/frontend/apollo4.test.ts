import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from "@apollo/client";
import { relayStylePagination } from "@apollo/client/utilities";
import assert from "node:assert/strict";
import { test } from "node:test";

import { AddToCartDocument, GeozonesDocument, ProductCardDocument, ProductPageDocument } from "./generated/graphql.ts";
import { browser, shop } from "./shop.ts";

function client(visitor = browser()) {
  const cache = new InMemoryCache({
    typePolicies: { Query: { fields: { products: relayStylePagination(["filter", "sort"]) } } },
  });
  const link = ApolloLink.from([new HttpLink({ uri: shop.url, fetch: visitor.fetch })]);
  return new ApolloClient({ cache, link });
}

test("typed operations answer what the schema promises", async () => {
  const { data } = await client().query({ query: GeozonesDocument });

  assert.deepEqual(data!.geozones.map((geozone) => geozone.code), ["msk", "spb"]);
});

test("fetchMore joins pages that follow each other", async () => {
  const apollo = client();
  const asked = { query: ProductPageDocument, variables: { category: "audio", first: 7 } };
  let page = (await apollo.query(asked)).data!.products.pageInfo;
  const pages = apollo.watchQuery(asked);
  const kept = pages.subscribe({});
  while (page.hasNextPage) {
    page = (await pages.fetchMore({ variables: { after: page.endCursor } })).data!.products.pageInfo;
  }
  kept.unsubscribe();
  const shown = apollo.readQuery(asked)!.products.edges.map((edge) => edge.node.name);

  assert.equal(shown.length, Number(shop["products"]));
  assert.equal(new Set(shown).size, shown.length);
});

test("a product that is asked for again by another query is one object of the cache", async () => {
  const apollo = client();
  const listed = await apollo.query({ query: ProductPageDocument, variables: { category: "audio", first: 1 } });
  const { id } = listed.data!.products.edges[0]!.node;

  await apollo.query({ query: ProductCardDocument, variables: { id } });

  const kept = Object.keys(apollo.cache.extract() as object).filter((key) => key.startsWith("Product:"));
  assert.deepEqual(kept, [`Product:${id}`]);
});

test("what a person can act on comes in userErrors, a broken request as errors", async () => {
  const apollo = client();

  const refused = await apollo.mutate({
    mutation: AddToCartDocument,
    variables: { product: shop.product, quantity: 0 },
  });
  const broken = apollo.query({ query: gql`query { products(first: 101) { nodes { id } } }` });

  assert.deepEqual(refused.data!.cartLinesAdd.userErrors.map((error) => error.code), ["QUANTITY_LIMIT"]);
  await assert.rejects(broken, (error) => CombinedGraphQLErrors.is(error) && error.errors[0]!.extensions!["code"] === "LIMIT_EXCEEDED");
});
