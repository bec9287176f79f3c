import { operationsOf } from '../operation.ts'
import { hash, hashFields, hashReply, randomOperations } from '../random-and-hash.ts'

const spec = 'behaviour/secrets#small-endpoints'
const operation = operationsOf({ spec })

export const toolOperations = [
  ...randomOperations('makeRandomBytes', 'tools/random', spec),
  operation.write('hash', 'tools/hash', {
    optionalParams: ['urlalgorithm'],
    summary: 'Hash data.',
    body: hashFields,
    reply: hashReply,
    run: ({ fields }) => hash(fields, fields.algorithm),
  }),
  operation.write('hashWith', 'tools/hash/*urlalgorithm', {
    summary: 'Hash data by the algorithm that the path names.',
    body: hashFields,
    reply: hashReply,
    run: ({ params, fields }) => hash(fields, params.urlalgorithm),
  }),
]
