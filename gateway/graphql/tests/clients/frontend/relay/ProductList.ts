import { graphql } from "relay-runtime";

/** A list by pages, as usePaginationFragment takes it. */
export const listQuery = graphql`
  query ProductListQuery($category: String!, $first: Int, $after: String, $last: Int, $before: String) {
    ...ProductList_products
      @arguments(category: $category, first: $first, after: $after, last: $last, before: $before)
  }
`;

export const listFragment = graphql`
  fragment ProductList_products on Query
  @refetchable(queryName: "ProductListPageQuery")
  @argumentDefinitions(
    category: { type: "String!" }
    first: { type: "Int" }
    after: { type: "String" }
    last: { type: "Int" }
    before: { type: "String" }
  ) {
    products(filter: { category: $category }, sort: PRICE_ASC, first: $first, after: $after, last: $last, before: $before)
      @connection(key: "ProductList_products", filters: ["filter", "sort"]) {
      edges {
        node {
          id
          name
        }
      }
    }
  }
`;

export const cardQuery = graphql`
  query ProductListCardQuery($id: ID!) {
    node(id: $id) {
      ... on Product {
        name
        description
        price {
          amount
        }
      }
    }
  }
`;

export const addMutation = graphql`
  mutation ProductListAddMutation($product: ID!, $quantity: Int!) {
    cartLinesAdd(lines: [{ product: $product, quantity: $quantity }], geozone: "msk") {
      cart {
        id
        totalQuantity
        lines {
          id
          quantity
        }
      }
      token
      userErrors {
        code
        field
      }
    }
  }
`;
