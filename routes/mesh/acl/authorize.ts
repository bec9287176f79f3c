import { quoteGo } from '../../../state/go/text.ts'
import { bool, list, text } from '../../../state/kernel/shape/kinds.ts'
import { optional, partial, struct } from '../../../state/kernel/shape/members.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import { refuse } from '../../../state/mesh/acl/messages.ts'
import type { Resource } from '../../../state/mesh/acl/rulebook.ts'
import { ok } from '../../http/declare/operation.ts'
import { decodeOne, parseBody, withRefusal } from '../decode.ts'
import type { MeshContext } from '../operation.ts'
import { aclOperationsOf } from './access.ts'

const operation = aclOperationsOf('behaviour/mesh#login')

const needBody = partial(
  struct('ACLAuthorizationRequest', {
    Resource: text,
    Segment: text,
    Access: text,
    Namespace: text,
    Partition: text,
  }),
)

const decisionReply = struct({
  Resource: text,
  Segment: optional(text),
  Access: text,
  Namespace: optional(text),
  Partition: optional(text),
  Allow: bool,
})

/** Resources that a decision request may name. */
const knownResources: ReadonlySet<string> = new Set([
  ...['acl', 'agent', 'event', 'intention', 'key', 'keyring', 'mesh', 'node'],
  ...['operator', 'peering', 'query', 'service', 'session'],
])

/** Maximum number of decision requests in one body. */
const maxNeeds = 64

function parseNeeds(context: MeshContext): readonly ParsedOf<typeof needBody>[] {
  return withRefusal(
    () => {
      const json = parseBody(context.body)
      if (json === null) return []
      if (!Array.isArray(json)) {
        throw refuse('decisions-no-list', {
          found: typeof json === 'object' ? 'object' : typeof json,
        })
      }
      return json.map((each) => decodeOne(each, needBody))
    },
    (problem) => refuse('login-unreadable', { problem }),
  )
}

function decide({ caller }: MeshContext, need: ParsedOf<typeof needBody>): boolean {
  const { Resource: resource = '', Access: sent = '', Segment: name = '', Namespace } = need
  if (!knownResources.has(resource)) {
    throw refuse('decision-resource', { quoted: quoteGo(resource) })
  }
  const access = sent.toLowerCase()
  const isKey = resource === 'key'
  const isKnown = access === 'read' || access === 'write'
  if (!isKnown && !(isKey && (access === 'list' || access === 'write-prefix'))) {
    throw refuse('decision-access', { resource, access: sent })
  }
  return caller.may({
    resource: resource as Resource,
    access: access === 'write-prefix' ? 'write' : (access as 'read' | 'write' | 'list'),
    name,
    ...(Namespace && { namespace: Namespace }),
    ...(access === 'write-prefix' && { isPrefix: true }),
  })
}

export const authorizeOperations = [
  operation.post('authorizeAcl', '/internal/acl/authorize', {
    access: 'anyone',
    tenancy: 'none',
    summary: 'Decide which of up to 64 kinds of access the token of the request has.',
    reply: { 200: list(decisionReply) },
    run: ({ context }) => {
      const needs = parseNeeds(context)
      if (needs.length > maxNeeds) throw refuse('decisions-many')
      return ok(
        needs.map((need) => {
          const { Resource = '', Segment, Access = '', Namespace, Partition } = need
          return {
            Resource,
            ...(Segment && { Segment }),
            Access,
            ...(Namespace && { Namespace }),
            ...(Partition && { Partition }),
            Allow: decide(context, need),
          }
        }),
      )
    },
  }),
]
