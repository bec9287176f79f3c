import { quoteGo } from '../../../state/go/text.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { partial, secret, struct } from '../../../state/kernel/shape/members.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { requireRight, requiresAnyOf, withNodeTarget } from '../access.ts'
import { checkEnabled } from '../acl/access.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#agent' })

const agentTokenBody = partial(struct('AgentToken', { Token: secret(text) }))

/** Names of the tokens that the agent uses, including names of earlier versions. */
const agentTokens: ReadonlySet<string> = new Set([
  'default',
  'acl_token',
  'agent',
  'acl_agent_token',
  'agent_recovery',
  'agent_master',
  'acl_agent_master_token',
  'replication',
  'acl_replication_token',
  'config_file_service_registration',
  'dns',
])

/** Operations on the tokens that the agent uses (behaviour/mesh#agent). */
export const agentTokenOperations = [
  operation.put('setAgentToken', '/agent/token/:kind', {
    access: insideOperation(withNodeTarget(requiresAnyOf('agent:write'))),
    tenancy: 'none',
    summary: "Set one of the agent's own tokens; it has no effect, since the agent asks nobody.",
    body: agentTokenBody,
    failures: [401, 404],
    reply: { 200: null },
    run({ context, params: { kind } }) {
      checkEnabled(context)
      requireRight(context, 'agent:write', { name: optionsOf(context.world).nodeName })
      withRefusal(
        () => decodeOne(parseBody(context.body.toString('utf8')), agentTokenBody),
        (problem) => refuse('session-body-unreadable', { problem }),
      )
      if (!agentTokens.has(kind)) throw refuse('agent-token-unknown', { quoted: quoteGo(kind) })
      return { status: 200 as const }
    },
  }),
]
