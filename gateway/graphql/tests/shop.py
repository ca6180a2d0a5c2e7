"""A schema with everything that limits and costs are about, independent of what the shop offers today."""

from graphql import build_schema

from gateway.graphql.documents.cache import Documents

SCHEMA = build_schema("""
interface Node { id: ID! }
type Query {
  node(id: ID!): Node
  nodes(ids: [ID!]!): [Node]!
  geozones: [Geozone!]!
  category(slug: String!): Category
  products(filter: Filter = {}, first: Int, after: String, last: Int, before: String): ProductConnection!
}
type Mutation { login(email: String!): Payload! register(email: String!): Payload! clear: Payload! }
type Payload { ok: Boolean! query: Query! }
input Filter { brands: [String!] nested: Filter }
type Geozone { code: String! }
type Money { amount: String! }
type Category implements Node { id: ID! slug: String! ancestors: [Category!]! children: [Category!]! }
type Product implements Node { id: ID! name: String! price: Money! images: [Image!]! category: Category! }
type Image { url: String! }
type PageInfo { hasNextPage: Boolean! }
type ProductEdge { cursor: String! node: Product! }
type ProductConnection {
  edges: [ProductEdge!]! nodes: [Product!]! pageInfo: PageInfo! totalCount: Int facets: [Facet!]!
}
type Facet { name: String! }
""")


def documents() -> Documents:
    return Documents(SCHEMA)
