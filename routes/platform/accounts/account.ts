import { ok } from '../../http/operation.ts'
import { documentOf } from '../json-api/resource.ts'
import { operationsOn } from '../operation.ts'
import { accountResource, accountSchema } from './user-resource.ts'

const operation = operationsOn('caller', () => undefined)

/** Who one is. */
export const accountOperations = [
  operation({
    id: 'readAccount',
    method: 'GET',
    path: '/account/details',
    summary: 'Read the user as whom the caller acts.',
    spec: '2-platform-decisions.md section 5.2',
    reply: { 200: documentOf(accountSchema) },
    run: ({ context: { world, caller } }) => ok({ data: accountResource(world, caller) }),
  }),
]
