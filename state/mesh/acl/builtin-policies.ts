import { type Message, renderMessage } from '../../kernel/message.ts'
import { message } from './messages.ts'

/** A policy with fixed rules that every world has (behaviour/mesh#builtin-policies). */
interface BuiltinPolicy {
  readonly id: string
  readonly name: string
  readonly description: string
  /** The description as a message, because its wording depends on the dialect. */
  readonly descriptionMessage: Message
  readonly rules: string
}

/** ID of the policy that grants everything. */
export const globalManagementId = '00000000-0000-0000-0000-000000000001'

type PolicyLine =
  | { readonly single: 'acl' | 'keyring' | 'operator' | 'mesh' | 'peering' }
  | { readonly block: string; readonly intentions?: true }

const policyLines: readonly PolicyLine[] = [
  { single: 'acl' },
  { block: 'agent' },
  { block: 'event' },
  { block: 'key' },
  { single: 'keyring' },
  { block: 'node' },
  { single: 'operator' },
  { single: 'mesh' },
  { single: 'peering' },
  { block: 'query' },
  { block: 'service', intentions: true },
  { block: 'session' },
]

/**
 * Returns rules that grant `access` to all resources, in the order in which the product's replies
 * list them.
 */
function rulesOnEverything(access: 'read' | 'write'): string {
  const sources = policyLines.map((line) => {
    if ('single' in line) return `\n${line.single} = "${access}"`
    const intentions = line.intentions === true ? `\n\tintentions = "${access}"` : ''
    return `\n${line.block}_prefix "" {\n\tpolicy = "${access}"${intentions}\n}`
  })
  return sources.join('')
}

function createBuiltin(
  number: 1 | 2,
  name: string,
  descriptionMessage: Message,
  access: 'read' | 'write',
) {
  const id = `00000000-0000-0000-0000-00000000000${number}`
  return {
    id,
    name,
    description: renderMessage(descriptionMessage),
    descriptionMessage,
    rules: rulesOnEverything(access),
  }
}

/** The builtin policies of the namespace `default`. */
export const builtinPolicies: readonly BuiltinPolicy[] = [
  createBuiltin(1, 'global-management', message('global-management'), 'write'),
  createBuiltin(2, 'builtin/global-read-only', message('global-read-only'), 'read'),
]

/**
 * Returns the initial state of the builtin policy with this ID; undefined if no builtin policy has
 * it.
 */
export function builtinPolicy(id: string): BuiltinPolicy | undefined {
  return builtinPolicies.find((policy) => policy.id === id)
}
