import { quoteGo } from '../go/text.ts'
import type { Message } from '../kernel/message.ts'
import { fillDefaults } from '../kernel/shape/fill-defaults.ts'
import type { World } from '../kernel/worlds/world.ts'
import { nextIndex } from './indexes.ts'
import { message, refuse } from './messages.ts'
import {
  defaultNamespace,
  findNamespace,
  type InputNamespace,
  type Namespace,
  namespaceShape,
  namespaces,
} from './namespaces.ts'
import { failedChecks, multiError } from './validation/errors.ts'

const namePattern = '^[a-zA-Z0-9-]{1,128}$'
/** In bytes. */
const maxDescriptionBytes = 256

/**
 * Creates or updates a namespace (behaviour/scheduler#beyond).
 *
 * @param pathName the name in the path, if any
 * @param authorize throws 403 if the caller may not write; called after the path is checked
 * @throws Refusal 400 if the name differs from the path's, 500 for an invalid namespace
 */
export function putNamespace(
  world: World,
  input: InputNamespace,
  pathName?: string,
  authorize: () => void = () => {},
): Namespace {
  const namespace = fillDefaults(input, namespaceShape)
  const { Name } = namespace
  if (pathName !== undefined && pathName !== Name) {
    throw refuse('namespace-name-mismatch')
  }
  authorize()
  const faults = faultsOf(namespace)
  if (faults.length > 0) {
    throw refuse('namespace-invalid', { name: quoteGo(Name), errors: multiError(faults) })
  }
  return world.write(() => {
    const index = nextIndex(world)
    const CreateIndex = findNamespace(world, Name)?.CreateIndex ?? index
    const row = { ...namespace, CreateIndex, ModifyIndex: index }
    world.table(namespaces).put(Name, row)
    return row
  })
}

function faultsOf({ Name, Description }: Namespace): readonly Message[] {
  return failedChecks(
    !new RegExp(namePattern).test(Name) &&
      message('namespace-name-invalid', { name: quoteGo(Name), pattern: namePattern }),
    Buffer.byteLength(Description) > maxDescriptionBytes &&
      message('description-too-long', { most: maxDescriptionBytes }),
  )
}

/**
 * Deletes a namespace (behaviour/scheduler#beyond). Dead jobs in it remain.
 *
 * @param findLiveJob returns the ID of a job of a namespace that is not dead, if any
 * @throws Refusal 500
 */
export function deleteNamespace(
  world: World,
  name: string,
  findLiveJob: (namespace: string) => string | undefined,
): void {
  if (name === defaultNamespace) throw refuse('namespace-default')
  if (findNamespace(world, name) === undefined) throw refuse('deleted-namespace-not-found')
  const job = findLiveJob(name)
  if (job !== undefined) {
    throw refuse('namespace-in-use', { namespace: quoteGo(name), job: quoteGo(job) })
  }
  world.write(() => {
    world.table(namespaces).delete(name)
  })
}
