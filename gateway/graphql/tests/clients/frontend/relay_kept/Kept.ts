import { graphql } from "relay-runtime";

/** Compiled to the hash of its text, which alone is sent. */
export const geozonesQuery = graphql`
  query KeptGeozonesQuery {
    geozones {
      code
      name
    }
  }
`;
