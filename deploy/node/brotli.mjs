// Unpacks a file: node brotli.mjs packed unpacked. Neither Python nor most systems have Brotli.
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";

const [packed, unpacked] = process.argv.slice(2);
await pipeline(createReadStream(packed), createBrotliDecompress(), createWriteStream(unpacked));
