// The audit suite of graphql-http against a server. Prints a JSON list of its findings.
import { auditServer } from "graphql-http";

const results = await auditServer({ url: process.argv[2] });
const findings = results.map(({ id, name, status, reason }) => ({ id, name, status, reason: reason ?? null }));
console.log(JSON.stringify(findings));
