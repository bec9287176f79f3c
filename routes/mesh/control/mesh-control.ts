import { bool, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { InputOf, StoredOf } from '../../../state/kernel/shape/values.ts'
import { meshCaller } from '../../../state/mesh/acl/callers.ts'
import { resources } from '../../../state/mesh/acl/rulebook.ts'
import type { NamespaceFixture } from '../../../state/mesh/fixtures.ts'
import { allNamespaces, type Namespace } from '../../../state/mesh/namespaces/namespaces.ts'
import { ControlPart, partCalls } from '../../http/declare/control-call.ts'

const questionShape = struct({
  token: optional(described(text, 'A SecretID; the anonymous token if left out')),
  resource: word(...resources),
  name: optional(described(text, 'Name of the resource, such as a key or service')),
  namespace: optional(described(text, 'Namespace; the namespace of the token if left out')),
  access: word('read', 'list', 'write'),
})

const originShape = struct({ id: text, name: text, namespace: text })

/** Decision about a permission, with the rule that decided. */
const decisionShape = struct({
  allowed: bool,
  rule: described(
    nullable(text),
    'Rule that decided, or the name of the builtin policy; null if there is none',
  ),
  from: struct({
    source: described(
      word('token', 'namespace-defaults', 'default-policy', 'acl-disabled'),
      'Source of the rule that decided, or of the default that applied without a rule',
    ),
    policy: described(nullable(originShape), 'Policy with the rule'),
    role: described(nullable(originShape), 'Role with the policy'),
  }),
})

/** Control of one world's service mesh: namespaces for tests, and access decisions. */
export class MeshControl extends ControlPart {
  /**
   * Creates a namespace with its content, or updates an existing namespace with the given members.
   *
   * @throws {DocumentError} for unknown members
   * @throws Refusal for input that the API would refuse as well
   */
  namespace(namespace: NamespaceFixture): void {
    this.tools.addFixtures(this.world, { mesh: { namespaces: [namespace] } })
  }

  /** Runs the due jobs, and returns every namespace in its current state, ordered by name. */
  namespaces(): readonly Namespace[] {
    this.world.runDueJobs()
    return allNamespaces(this.world)
  }

  /**
   * Returns whether the mesh would grant a permission, with the rule that decides and its policy
   * and role. Changes nothing.
   *
   * @throws {InputError} for an invalid question
   * @throws Refusal `denied` for an unknown or expired token
   */
  decide(question: InputOf<typeof questionShape>): StoredOf<typeof decisionShape> {
    this.check(questionShape, question)
    const { token, ...need } = question
    const { allowed, rule, source, origin } = meshCaller(this.world, token).decide(need)
    const from = { source, policy: origin?.policy ?? null, role: origin?.role ?? null }
    return { allowed, rule, from }
  }
}

const call = partCalls(MeshControl)

/** Control calls about the service mesh of one world. */
export const meshCalls = [
  call({
    id: 'decideInMesh',
    route: 'POST /mesh/decisions',
    summary: 'Decide whether a token has a permission in the service mesh, and name the rule.',
    body: questionShape,
    reply: decisionShape,
    run: (mesh, { body }) => mesh.decide(body),
  }),
]
