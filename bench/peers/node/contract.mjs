// The catalog part of the gateway's contract over the gateway's own collections, with the driver's own client and a
// fixed projection, as somebody would write it who knows the collections.
import { Decimal128 } from "mongodb";
import { GraphQLScalarType } from "graphql";

const TILE = { category: 1, name: 1, price: 1, prices: 1, stock: 1, attributes: 1, images: 1 };
const CURRENCY = "RUB";
const COUNT_LIMIT = 10_000;
const MAX_FACETS = 30;
const MAX_VALUES = 50;
// As long as the gateway remembers them.
const FACETS_MS = 15_000;

const sealed = (...parts) => Buffer.from(JSON.stringify(parts)).toString("base64url");
const opened = (text) => JSON.parse(Buffer.from(text, "base64url").toString());
const money = (amount) => ({ amount, currency: CURRENCY });

const withKopecks = (amount) => {
  const text = amount.toString();
  const point = text.indexOf(".");
  if (point < 0) return `${text}.00`;
  return text.length - point === 2 ? `${text}0` : text;
};

const discountPercent = ({ price, prices }) => {
  const [base, now] = [Number(prices.base), Number(price)];
  return now >= base ? 0 : Math.min(Math.max(Math.round((100 * (base - now)) / base), 1), 99);
};

const priceBounds = ({ min, max }) => ({ ...(min != null && { $gte: min }), ...(max != null && { $lte: max }) });

const wantedBy = ({ category, price, inStockIn }) => ({
  ...(category != null && { category }),
  withdrawn: false,
  ...(price && { price: priceBounds(price) }),
  ...(inStockIn != null && { available_in: inStockIn }),
});

const beyond = (after) => {
  const [, price, id] = opened(after);
  const amount = Decimal128.fromString(price);
  return { $or: [{ price: amount, _id: { $gt: id } }, { price: { $gt: amount } }] };
};

const byText = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

const facetsFrom = (counted) => {
  const byName = new Map();
  for (const { _id, count } of counted) {
    const [name, ...value] = _id.split("=");
    if (!byName.has(name)) byName.set(name, []);
    byName.get(name).push({ value: value.join("="), count });
  }
  const facets = [...byName].map(([name, values]) => ({
    name,
    values: values.sort((a, b) => b.count - a.count || byText(a.value, b.value)).slice(0, MAX_VALUES),
  }));
  const total = ({ values }) => values.reduce((sum, { count }) => sum + count, 0);
  return facets.sort((a, b) => total(b) - total(a) || byText(a.name, b.name)).slice(0, MAX_FACETS);
};

const connection = (placed, more, part) => {
  const edges = placed.map(([cursor, node]) => ({ cursor, node }));
  return {
    ...part,
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: more,
      hasPreviousPage: false,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
};

// More than any standing: rank and standing make one number.
const RANK = 60_000_000_000_000;

// `searches`: for each text that will be searched for, the reads that find it, best first. `owner`: whose orders the
// viewer sees; nobody's session is looked at.
export const contract = async (db, { searches, owner, site }) => {
  const products = db.collection("products");
  const orders = db.collection("orders", { readPreference: "primary" });
  const categories = new Map();
  for (const category of await db.collection("categories").find().sort({ position: 1, _id: 1 }).toArray()) {
    categories.set(category._id, category);
  }
  const below = (parent) => [...categories.values()].filter(({ path }) => (path?.at(-1) ?? null) === parent);
  const rememberedFacets = new Map();

  const page = async (filter, first, after) => {
    const wanted = wantedBy(filter);
    const where = after ? { ...wanted, ...beyond(after) } : wanted;
    const options = { projection: TILE, sort: { price: 1, _id: 1 }, limit: first + 1, singleBatch: true };
    const found = await products.find(where, options).toArray();
    const shown = found.slice(0, first);
    const placed = shown.map((each) => [sealed("PRICE_ASC", each.price.toString(), each._id), each]);
    return connection(placed, found.length > first, { wanted });
  };

  const found = async (text, first) => {
    const placed = [];
    for (const [rank, { where, hint }] of searches[text].entries()) {
      const limit = first + 1 - placed.length;
      const options = { projection: { ...TILE, standing: 1 }, sort: { standing: -1, _id: -1 }, limit, hint, singleBatch: true };
      for (const each of await products.find(where, options).toArray()) {
        placed.push([sealed("RELEVANCE", String(rank * RANK + each.standing), each._id), each]);
      }
      if (placed.length > first) break;
    }
    return connection(placed.slice(0, first), placed.length > first);
  };

  const facets = async (wanted) => {
    const key = JSON.stringify(wanted);
    const known = rememberedFacets.get(key);
    if (known && known.until > Date.now()) return known.facets;
    const counting = [
      { $match: wanted },
      { $project: { _id: 0, facets: 1 } },
      { $unwind: "$facets" },
      { $group: { _id: "$facets", count: { $sum: 1 } } },
    ];
    const counted = facetsFrom(await products.aggregate(counting).toArray());
    rememberedFacets.set(key, { facets: counted, until: Date.now() + FACETS_MS });
    return counted;
  };

  const bound = async ({ price: _, ...wanted }, direction) => {
    const options = { projection: { price: 1 }, sort: { price: direction, _id: direction } };
    return (await products.findOne(wanted, options))?.price;
  };

  const history = async (first) => {
    const options = { sort: { created_at: -1, _id: -1 }, limit: first + 1, singleBatch: true };
    const newest = await orders.find({ owner }, options).toArray();
    const placed = newest
      .slice(0, first)
      .map((each) => [sealed("ORDERS", String(each.created_at.getTime()), each._id), each]);
    return connection(placed, newest.length > first);
  };

  return {
    Decimal: new GraphQLScalarType({
      name: "Decimal",
      serialize: withKopecks,
      parseValue: (value) => Decimal128.fromString(String(value)),
    }),
    DateTime: new GraphQLScalarType({ name: "DateTime", serialize: (value) => value.toISOString() }),
    Query: {
      products: (_, { filter, first, after }) =>
        filter.search ? found(filter.search, first) : page(filter, first, after),
      product: (_, { id }) => {
        const [, category, _id] = opened(id);
        return products.findOne({ category, _id, withdrawn: false });
      },
      nodes: async (_, { ids }) => {
        const keys = ids.map(opened);
        const where = {
          category: { $in: [...new Set(keys.map(([, category]) => category))] },
          _id: { $in: keys.map(([, , id]) => id) },
          withdrawn: false,
        };
        const byId = new Map((await products.find(where).toArray()).map((each) => [each._id, each]));
        return keys.map(([, , id]) => byId.get(id) ?? null);
      },
      categories: (_, { parent }) => below(parent ?? null),
      viewer: () => ({}),
    },
    Viewer: { orders: (_, { first }) => history(first) },
    Node: { __resolveType: () => "Product" },
    ProductConnection: {
      totalCount: async ({ wanted }) => {
        const count = await products.countDocuments(wanted, { limit: COUNT_LIMIT + 1 });
        return count > COUNT_LIMIT ? null : count;
      },
      facets: ({ wanted }) => facets(wanted),
      priceRange: async ({ wanted }) => {
        const [min, max] = await Promise.all([bound(wanted, 1), bound(wanted, -1)]);
        return min && max ? { min: money(min), max: money(max) } : null;
      },
    },
    Category: {
      id: ({ _id }) => sealed("Category", _id),
      slug: ({ _id }) => _id,
      ancestors: ({ path }) => (path ?? []).map((slug) => categories.get(slug)),
      children: ({ _id }) => below(_id),
    },
    Product: {
      id: ({ category, _id }) => sealed("Product", category, _id),
      productId: ({ _id }) => _id,
      description: ({ description }) => description ?? "",
      category: ({ category }) => categories.get(category),
      price: ({ price }) => money(price),
      basePrice: ({ prices }) => money(prices.base),
      discountPercent,
      attributes: ({ attributes }) => Object.entries(attributes ?? {}).map(([name, value]) => ({ name, value })),
      images: ({ images }) => (images ?? []).map(({ url, alt }) => ({ url: url.startsWith("/") ? site + url : url, alt })),
      stock: ({ stock }, { geozone }) => (geozone ? stock.filter((level) => level.geozone === geozone) : stock),
      createdAt: ({ created_at }) => created_at,
      updatedAt: ({ updated_at }) => updated_at,
    },
    Stock: { available: ({ quantity, reserved }) => Math.max(0, quantity - (reserved ?? 0)) },
    Order: {
      id: ({ owner: of, _id }) => sealed("Order", of, _id),
      status: ({ status }) => status.toUpperCase(),
      lines: ({ items }) => items,
      total: ({ total }) => money(total),
      createdAt: ({ created_at }) => created_at,
    },
    OrderLine: {
      productId: ({ product_id }) => product_id,
      unitPrice: ({ price }) => money(price),
      lineTotal: ({ price, quantity }) => money((Number(price) * quantity).toFixed(2)),
    },
  };
};
