import { quoteGo } from '../../../state/go/text.ts'
import { text } from '../../../state/kernel/shape/kinds.ts'
import { partial, secret, struct } from '../../../state/kernel/shape/members.ts'
import { agentTokenName, setAgentToken } from '../../../state/mesh/agent/agent-tokens.ts'
import { refuse } from '../../../state/mesh/messages.ts'
import { optionsOf } from '../../../state/mesh/options.ts'
import { insideOperation } from '../../http/declare/access.ts'
import { requireRight, requiresAnyOf, withNodeTarget } from '../access.ts'
import { checkEnabled } from '../acl/access.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import { operationsOf } from '../operation.ts'

const operation = operationsOf({ spec: 'behaviour/mesh#agent' })

const agentTokenBody = partial(struct('AgentToken', { Token: secret(text) }))

/** Operations on the tokens that the agent uses (behaviour/mesh#agent). */
export const agentTokenOperations = [
  operation.put('setAgentToken', '/agent/token/:kind', {
    access: insideOperation(withNodeTarget(requiresAnyOf('agent:write'))),
    tenancy: 'none',
    summary: "Set one of the agent's own tokens; `default` is that of requests without a token.",
    body: agentTokenBody,
    failures: [401, 404],
    reply: { 200: null },
    run({ context, params: { kind } }) {
      checkEnabled(context)
      requireRight(context, 'agent:write', { name: optionsOf(context.world).nodeName })
      const { Token = '' } = withRefusal(
        () => decodeOne(parseBody(context.body.toString('utf8')), agentTokenBody),
        (problem) => refuse('session-body-unreadable', { problem }),
      )
      const name = agentTokenName(kind)
      if (name === undefined) throw refuse('agent-token-unknown', { quoted: quoteGo(kind) })
      setAgentToken(context.world, name, Token)
      return { status: 200 as const }
    },
  }),
]
