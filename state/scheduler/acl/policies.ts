import { compareBytewise } from '../../json/json.ts'
import type { Message } from '../../kernel/message.ts'
import { fillDefaults } from '../../kernel/shape/fill-defaults.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex, touchIndex } from '../indexes.ts'
import { refuse as requestRefusal } from '../messages.ts'
import { failedChecks, multiError } from '../validation/errors.ts'
import { anonymous, requireAcls, requireManagement, type SchedulerCaller } from './callers.ts'
import { message, RulesError, refuse } from './messages.ts'
import { readRules } from './rules.ts'
import { type AclPolicy, aclPolicies, aclPolicyShape, type InputAclPolicy } from './tables.ts'

/**
 * Returns the policies whose names begin with a prefix, ordered by name and without the text of
 * their rules. Management tokens see all policies, other callers only those of their own token.
 *
 * @throws Refusal 400 while ACLs are off
 */
export function listPolicies(world: World, caller: SchedulerCaller, prefix = '') {
  requireAcls(world)
  return Array.from(world.table(aclPolicies).rows(prefix))
    .filter(({ Name }) => holdsPolicy(caller, Name))
    .sort((a, b) => compareBytewise(a.Name, b.Name))
    .map(({ Name, Description, CreateIndex, ModifyIndex }) => ({
      Name,
      Description,
      CreateIndex,
      ModifyIndex,
    }))
}

function holdsPolicy({ isManagement, policies }: SchedulerCaller, name: string): boolean {
  return isManagement || policies.includes(name)
}

/**
 * Returns a policy. Management tokens may read all policies. Other callers may read the policies of
 * their own token and the policy `anonymous`.
 *
 * @throws Refusal 400 while ACLs are off, 403 if the caller may not read the policy, 404 for an
 *   unknown policy
 */
export function readPolicy(world: World, caller: SchedulerCaller, name: string): AclPolicy {
  requireAcls(world)
  if (name !== anonymous && !holdsPolicy(caller, name)) throw requestRefusal('permission-denied')
  const policy = world.table(aclPolicies).get(name)
  if (policy === undefined) throw refuse('policy-not-found')
  return policy
}

/**
 * Creates or updates a policy.
 *
 * @throws Refusal 400 if the name differs from that in the path, while ACLs are off, and for an
 *   invalid policy; 403 without management rights
 */
export function putPolicy(
  world: World,
  caller: SchedulerCaller,
  input: InputAclPolicy,
  pathName: string,
): AclPolicy {
  const policy = fillDefaults(input, aclPolicyShape)
  const { Name } = policy
  if (Name !== pathName) throw refuse('policy-name-mismatch')
  requireAcls(world)
  requireManagement(caller)
  const problems = problemsOf(policy)
  if (problems.length > 0) throw refuse('policy-invalid', { errors: multiError(problems) })
  return world.write(() => {
    const index = nextIndex(world)
    const CreateIndex = world.table(aclPolicies).get(Name)?.CreateIndex ?? index
    const row = { ...policy, CreateIndex, ModifyIndex: index }
    world.table(aclPolicies).put(Name, row)
    return row
  })
}

const maxDescriptionBytes = 256

function problemsOf({ Name, Description, Rules, JobACL }: AclPolicy): readonly Message[] {
  const { Namespace = '', JobID = '', Group = '', Task = '' } = JobACL ?? {}
  return [
    ...failedChecks(
      !/^[a-zA-Z0-9-]{1,128}$/.test(Name) && message('policy-name-invalid', { name: Name }),
    ),
    ...rulesErrors(Rules),
    ...failedChecks(
      Buffer.byteLength(Description) > maxDescriptionBytes &&
        message('policy-description-long', { most: maxDescriptionBytes }),
      JobID !== '' && Namespace === '' && message('policy-namespace-missing'),
      Group !== '' && JobID === '' && message('policy-job-missing'),
      Task !== '' && Group === '' && message('policy-group-missing'),
    ),
  ]
}

function rulesErrors(rules: string): readonly Message[] {
  try {
    readRules(rules)
    return []
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    return [message('policy-rules-invalid', { why: error.reason })]
  }
}

/**
 * Deletes a policy. If no policy has the name, only the index of the policies advances. Tokens and
 * roles keep the name of the policy.
 * @throws Refusal 400 while ACLs are off, 403 without management rights
 */
export function deletePolicy(world: World, caller: SchedulerCaller, name: string): void {
  requireAcls(world)
  requireManagement(caller)
  world.write(() => {
    world.table(aclPolicies).delete(name)
    touchIndex(world, 'acl-policies')
  })
}
