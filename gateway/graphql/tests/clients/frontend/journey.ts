// What a buyer does in the shop of docs/storefront.md, whoever the client is: it sends the operations of that page.
import assert from "node:assert/strict";

import { shop } from "./shop.ts";

export type Variables = Record<string, unknown>;
/** Sends the operation of this name, StorefrontCartQuery and the like, and gives its data. */
export type Send = (operation: string, variables?: Variables) => Promise<any>;

export async function buy(send: Send, email: string): Promise<void> {
  const shelves = await send("StorefrontShelvesQuery");
  assert.deepEqual(shelves.geozones.map((geozone: any) => geozone.code), ["msk", "spb"]);

  const filter = { category: "audio", inStockIn: "msk", price: { min: "1000" } };
  const list = { filter, sort: "PRICE_ASC", first: 24 };
  const found = (await send("StorefrontCatalogQuery", list)).products;
  const { id } = found.edges[0].node;
  assert.equal(id, shop.product);
  assert.equal(found.priceRange.max.amount, "3990.00");

  const card = (await send("StorefrontCardQuery", { id, geozone: "msk" })).product;
  assert.deepEqual([card.name, card.stock[0].geozone], ["Наушники Тишина", "msk"]);

  const added = (await send("StorefrontAddMutation", { product: id, quantity: 1, geozone: "msk" })).cartLinesAdd;
  assert.deepEqual([added.userErrors, added.cart.totalQuantity], [[], 1]);
  const changed = (await send("StorefrontQuantityMutation", { product: id, quantity: 2 })).cartLinesSet;
  assert.equal(changed.cart.subtotal.amount, "7980.00");

  const who = { email, password: shop.password };
  const registered = (await send("StorefrontRegisterMutation", { ...who, name: "Иван" })).register;
  assert.deepEqual([registered.userErrors, registered.viewer.cart.totalQuantity], [[], 2]);
  assert.equal((await send("StorefrontLogoutMutation")).logout.viewer.user, null);
  assert.equal((await send("StorefrontLoginMutation", who)).login.viewer.user.email, email);

  const input = {
    geozone: "msk",
    contact: { name: "Иван Покупатель", email, phone: "+7 999 123-45-67" },
    shippingAddress: { city: "Москва", street: "Тверская, 1" },
    expectedTotal: "7980.00",
    clientKey: email,
  };
  const { order, userErrors } = (await send("StorefrontCheckoutMutation", { input })).checkout;
  assert.deepEqual([userErrors, order.status, order.payment.due.amount], [[], "NEW", "7980.00"]);

  await pay(order.payment.url);
  const paid = (await send("StorefrontOrderQuery", { id: order.id })).order;
  assert.deepEqual([paid.status, paid.payment.url], ["PAID", null]);

  const { user, orders } = (await send("StorefrontHistoryQuery", { first: 5 })).viewer;
  assert.deepEqual([user.name, orders.edges.map((edge: any) => edge.node.number)], ["Иван", [order.number]]);

  const unknown = await send("StorefrontLetterQuery", { token: "made-up" });
  assert.equal(unknown.orderByToken, null);
  const asked = (await send("StorefrontLinkMutation", { number: order.number, email })).orderLinkRequest;
  assert.deepEqual([asked.ok, asked.userErrors], [true, []]);
}

/** As a person does on the payment page of development. */
async function pay(url: string): Promise<void> {
  const page = await fetch(url);
  const token = /name="csrfmiddlewaretoken" value="(\w+)"/.exec(await page.text())![1]!;
  const cookie = page.headers.getSetCookie().map((each) => each.split(";")[0]).join("; ");
  const body = new URLSearchParams({ csrfmiddlewaretoken: token, outcome: "pay" });
  const answer = await fetch(url, { method: "POST", headers: { cookie }, body });
  assert.equal(answer.status, 200);
}
