import { noContent } from '../http/declare/operation.ts'
import { operationsOn } from './operation.ts'

const operation = operationsOn('anyone', () => undefined)

/** Operation that clients use to detect the API by its response headers. */
export const pingOperations = [
  operation({
    id: 'ping',
    method: 'GET',
    path: '/ping',
    summary: 'Tell that the API is there.',
    spec: 'behaviour/platform#ping',
    reply: { 204: null },
    run: () => noContent,
  }),
]
