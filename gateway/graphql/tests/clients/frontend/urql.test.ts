import { Client, fetchExchange } from "@urql/core";
import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { persistedExchange } from "@urql/exchange-persisted";
import assert from "node:assert/strict";
import { test } from "node:test";

import * as documents from "./generated/graphql.ts";
import { GeozonesDocument, ProductPageDocument } from "./generated/graphql.ts";
import { buy, type Send } from "./journey.ts";
import { browser, newEmail, shop } from "./shop.ts";

function client(visitor = browser(), persisted = false) {
  const cache = cacheExchange({
    keys: Object.fromEntries(
      ["Money", "Stock", "Attribute", "Image", "Facet", "FacetValue", "PriceRange", "Geozone", "OrderLine", "PaymentDue", "Viewer", "Contact"].map(
        (type) => [type, () => null],
      ),
    ),
    resolvers: { Query: { products: relayPagination() } },
  });
  const ask = persisted ? [persistedExchange({ preferGetForPersistedQueries: true }), fetchExchange] : [fetchExchange];
  return new Client({ url: shop.url, fetch: visitor.fetch, preferGetMethod: false, exchanges: [cache, ...ask] });
}

test("relayPagination joins pages that follow each other", async () => {
  const urql = client();
  let after: string | null | undefined = null;
  let shown: string[] = [];
  let more = true;
  while (more) {
    const { data, error } = await urql.query(ProductPageDocument, { category: "audio", first: 7, after }).toPromise();
    assert.equal(error, undefined);
    shown = data!.products.edges.map((edge) => edge.node.name);
    ({ endCursor: after, hasNextPage: more } = data!.products.pageInfo);
  }

  assert.equal(shown.length, Number(shop["products"]));
  assert.equal(new Set(shown).size, shown.length);
});

test("a persisted query is asked for by its hash", async () => {
  const visitor = browser();

  for (let time = 0; time < 2; time += 1) {
    const { data } = await client(visitor, true).query(GeozonesDocument, {}).toPromise();
    assert.deepEqual(data!.geozones.map((geozone) => geozone.code), ["msk", "spb"]);
  }

  const last = visitor.exchanges.at(-1)!;
  assert.deepEqual([last.method, last.status, last.sent["query"]], ["GET", 200, undefined]);
});

test("a buyer buys", async () => {
  const urql = client();
  const send: Send = async (operation, variables = {}) => {
    const document = (documents as any)[`${operation}Document`];
    const answer = operation.endsWith("Mutation")
      ? await urql.mutation(document, variables).toPromise()
      : await urql.query(document, variables, { requestPolicy: "network-only" }).toPromise();
    assert.equal(answer.error, undefined);
    return answer.data;
  };

  await buy(send, newEmail());
});
