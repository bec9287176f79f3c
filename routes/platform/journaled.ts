import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import { type Caller, callerOf } from '../../state/platform/accounts/callers.ts'
import type { JournaledApi } from '../http/journal-hooks/request-record.ts'
import { platformDialect } from './dialect.ts'
import { objectPath } from './objects/object-url.ts'
import type { PlatformOperation } from './operation.ts'

/** Facts about requests of this API that the journal needs. */
export const journaled: Omit<JournaledApi, 'name'> = {
  secretHeaders: ['authorization'],
  secretPaths: `${objectPath}/`,
  bodyShape(operation) {
    // Requests of this API are recorded with its own operations only.
    const { form } = operation as PlatformOperation
    if (form === undefined) return undefined
    const attributes = inBothDialects(form.attributes)
    const data = {
      kind: 'struct',
      name: '',
      fields: members({ attributes }),
      others: otherMembers,
    } as const
    return { kind: 'struct', name: '', fields: members({ data }), others: otherMembers }
  },
  findCaller: (token, world) => callerOf(world, token),
  describeCaller(caller) {
    // Requests of this API are recorded with its own callers only.
    const { user, token } = caller as Caller
    return { name: user.username === '' ? token.id : user.username }
  },
}

const otherMembers = { kind: 'any' } as const
const vendor = platformDialect('vendor')

/** Returns the attributes with their names in both dialects. */
function inBothDialects(attributes: StructShape): StructShape {
  const fields = Object.entries(attributes.fields).map(([name, field]) => [
    name,
    { ...field, vendor: vendor.toWire('attribute', name) },
  ])
  return { ...attributes, fields: Object.fromEntries(fields) }
}

function members<S>(shapes: Readonly<Record<string, S>>) {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, { shape, presence: 'optional' } as const]),
  )
}
