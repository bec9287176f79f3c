import type { Caller } from '../../state/platform/accounts/callers.ts'
import type { NotedApi } from '../http/visit.ts'
import type { PlatformOperation } from './operation.ts'

/** What the journal has to know of requests of this API. */
export const noted: Omit<NotedApi, 'name'> = {
  secretHeaders: ['authorization'],
  bodyShape(operation) {
    // Operations of this API are noted with it alone.
    const { form } = operation as PlatformOperation
    if (form === undefined) return undefined
    const { attributes } = form
    const data = { kind: 'struct', name: '', fields: members({ attributes }), others } as const
    return { kind: 'struct', name: '', fields: members({ data }), others }
  },
  describeCaller(caller) {
    // So are callers.
    const { user, token } = caller as Caller
    return { name: user.username === '' ? token.id : user.username }
  },
}

const others = { kind: 'any' } as const

function members<S>(shapes: Readonly<Record<string, S>>) {
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, { shape, presence: 'optional' } as const]),
  )
}
