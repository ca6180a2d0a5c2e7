import assert from "node:assert/strict";
import { test } from "node:test";
import {
  commitMutation,
  Environment,
  fetchQuery,
  getRequest,
  Network,
  RecordSource,
  Store,
  type FetchFunction,
} from "relay-runtime";

import type { ProductListAddMutation } from "./relay/__generated__/ProductListAddMutation.graphql.ts";
import type { ProductListCardQuery } from "./relay/__generated__/ProductListCardQuery.graphql.ts";
import pageQuery from "./relay/__generated__/ProductListPageQuery.graphql.ts";
import type { ProductListPageQuery } from "./relay/__generated__/ProductListPageQuery.graphql.ts";
import { addMutation, cardQuery } from "./relay/ProductList.ts";
import type { KeptGeozonesQuery } from "./relay_kept/__generated__/KeptGeozonesQuery.graphql.ts";
import { geozonesQuery } from "./relay_kept/Kept.ts";
import { browser, shop } from "./shop.ts";

function environment(visitor = browser()): Environment {
  const ask: FetchFunction = async (request, variables) => {
    const response = await visitor.fetch(shop.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ documentId: request.id ?? undefined, query: request.text ?? undefined, variables }),
    });
    return response.json();
  };
  return new Environment({ network: Network.create(ask), store: new Store(new RecordSource()) });
}

/** Names in the connection, as a component that uses the fragment is shown them. */
function shown(relay: Environment): string[] {
  const records = relay.getStore().getSource();
  const connection = records.getRecordIDs().find((id) => id.includes("__ProductList_products_connection") && !id.includes(":edges") && !id.includes("pageInfo"))!;
  const edges = (records.get(connection) as any).edges.__refs as string[];
  return edges.map((edge) => (records.get((records.get(edge) as any).node.__ref) as any).name);
}

test("pages forward join in the connection, until there is no next", async () => {
  const relay = environment();
  let after: string | null = null;
  let more = true;
  while (more) {
    await fetchQuery<ProductListPageQuery>(relay, pageQuery, { category: "audio", first: 7, after }).toPromise();
    const info = pageInfo(relay);
    after = info.endCursor;
    more = info.hasNextPage;
  }

  const names = shown(relay);
  assert.equal(names.length, Number(shop["products"]));
  assert.equal(new Set(names).size, names.length);
});

test("a mutation's cart comes by its id into the store", async () => {
  const relay = environment();

  const answer = await new Promise<ProductListAddMutation["response"]>((resolve, reject) => {
    commitMutation<ProductListAddMutation>(relay, {
      mutation: addMutation,
      variables: { product: shop.product, quantity: 2 },
      onCompleted: resolve,
      onError: reject,
    });
  });

  const cart = answer.cartLinesAdd.cart!;
  assert.equal(cart.totalQuantity, 2);
  assert.equal((relay.getStore().getSource().get(cart.id) as any).totalQuantity, 2);
});

test("an object is refetched by node", async () => {
  const card = await fetchQuery<ProductListCardQuery>(environment(), cardQuery, { id: shop.product }).toPromise();

  assert.equal(card!.node!.name, "Наушники Тишина");
});

test("a persisted operation is sent by its id alone", async () => {
  const visitor = browser();

  const answer = await fetchQuery<KeptGeozonesQuery>(environment(visitor), geozonesQuery, {}).toPromise();

  assert.deepEqual(answer!.geozones.map((geozone) => geozone.code), ["msk", "spb"]);
  assert.deepEqual(Object.keys(visitor.exchanges[0]!.sent).sort(), ["documentId", "variables"]);
  assert.equal(visitor.exchanges[0]!.sent["documentId"], getRequest(geozonesQuery).params.id);
});

function pageInfo(relay: Environment): { endCursor: string | null; hasNextPage: boolean } {
  const records = relay.getStore().getSource();
  const id = records.getRecordIDs().find((each) => each.endsWith("__ProductList_products_connection:pageInfo")) ??
    records.getRecordIDs().find((each) => each.includes("__ProductList_products_connection") && each.endsWith(":pageInfo"))!;
  return records.get(id) as any;
}
