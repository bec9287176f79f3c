import { operation } from '../operation.ts'
import {
  byteCount,
  hash,
  hashFields,
  hashReply,
  random,
  randomAt,
  randomFields,
  randomReply,
} from '../random-and-hash.ts'

const spec = 'behaviour/secrets#small-endpoints'

/** General tools: random bytes and hashes. */
export const toolOperations = [
  operation({
    id: 'makeRandomBytes',
    verb: 'write',
    path: 'tools/random',
    summary: 'Makes random bytes.',
    spec,
    body: randomFields,
    reply: randomReply,
    run: ({ world, fields }) => random(world, fields, fields.bytes, 'platform'),
  }),
  operation({
    id: 'makeRandomBytesFrom',
    verb: 'write',
    path: 'tools/random/:source/*urlbytes',
    summary: 'Makes as many random bytes as the path says, from the source that it names.',
    spec,
    body: randomFields,
    reply: randomReply,
    run: ({ world, params, fields }) =>
      random(world, fields, byteCount(params.urlbytes), params.source),
  }),
  operation({
    id: 'makeRandomBytesAt',
    verb: 'write',
    path: 'tools/random/*source',
    summary: 'Makes random bytes, as many as the path says or from the source that it names.',
    spec,
    body: randomFields,
    reply: randomReply,
    run: ({ world, params, fields }) => randomAt(world, fields, params.source),
  }),
  operation({
    id: 'hash',
    verb: 'write',
    path: 'tools/hash',
    summary: 'Hashes data.',
    spec,
    body: hashFields,
    reply: hashReply,
    run: ({ fields }) => hash(fields, fields.algorithm),
  }),
  operation({
    id: 'hashWith',
    verb: 'write',
    path: 'tools/hash/*urlalgorithm',
    summary: 'Hashes data by the algorithm that the path names.',
    spec,
    body: hashFields,
    reply: hashReply,
    run: ({ params, fields }) => hash(fields, params.urlalgorithm),
  }),
]
