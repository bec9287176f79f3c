import { int, list, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import {
  changePolicy,
  createPolicy,
  deletePolicy,
  type Policy,
  policiesOf,
  policyAttributes,
  policyText,
  policyWithId,
  uploadPolicy,
} from '../../../state/platform/policies/policies.ts'
import { policySetsWith } from '../../../state/platform/policies/policy-sets.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  attributeRenderer,
  inState,
  openQuery,
  optionalMembers,
  strictText,
} from '../json-api/attributes.ts'
import { inclusionsOf } from '../json-api/include.ts'
import { pageOf } from '../json-api/pagination.ts'
import { toMany, toOne } from '../json-api/relations.ts'
import {
  listOf,
  type Resource,
  relationOf,
  relationsOf,
  resourceShape,
  withExtraFields,
} from '../json-api/resource.ts'
import { operationsOn, type ParsedBody, type Rendering } from '../operation.ts'
import { nameFilter } from '../organizations/scopes.ts'
import { policySetResource, policySetShape } from './policy-set-resource.ts'
import { findPolicyItemFor, findPolicyOrganizationFor } from './scopes.ts'

const type = 'policies'
const renderer = attributeRenderer(policyAttributes)
const enforceShape = list(struct({ path: optional(text), mode: optional(text) }))

export const policyShape = resourceShape(
  type,
  struct({ ...renderer.shape.fields, enforce: enforceShape, 'policy-set-count': int }),
  {
    relationships: struct({
      organization: relationOf('organizations'),
      'policy-sets': relationsOf('policy-sets'),
    }),
    links: struct({ self: text, upload: text, download: optional(text) }),
  },
)

const inputAttributes = optionalMembers({
  name: strictText,
  description: strictText,
  kind: strictText,
  query: strictText,
  'enforcement-level': strictText,
  enforce: union(enforceShape),
})
const form = { type, attributes: inputAttributes } as const

/** Renders a policy with the policy sets that contain it. */
export function policyResource(policy: Policy, world: World): Resource {
  const { id, name, kind, enforcement_level: mode, organization } = policy
  const self = `/api/v2/policies/${id}`
  const sets = policySetsWith(world, policy)
  const isUploaded = policyText(world, policy) !== undefined
  return {
    id,
    type,
    attributes: {
      ...renderer.render(policy),
      // A policy is enforced once its text is uploaded.
      enforce: isUploaded
        ? [{ path: `${name}.${kind === 'opa' ? 'rego' : 'sentinel'}`, mode }]
        : [],
      'policy-set-count': sets.length,
    },
    relationships: {
      organization: toOne('organizations', organization),
      'policy-sets': toMany(
        'policy-sets',
        sets.map((set) => set.id),
      ),
    },
    links: {
      self,
      upload: `${self}/upload`,
      ...(isUploaded ? { download: `${self}/download` } : {}),
    },
  }
}

/**
 * Returns the input for a policy. The enforcement level can come from the older member `enforce`.
 */
function inputOf({ attributes }: ParsedBody<typeof inputAttributes>) {
  const { enforce, ...others } = attributes
  const { mode } = { ...enforce?.[0] }
  return { ...(mode === undefined ? {} : { enforcement_level: mode }), ...inState(others) }
}

const inclusions = inclusionsOf<Policy>(
  {
    'policy-sets': {
      find: (policy, context) =>
        policySetsWith(context.world, policy).map((set) => policySetResource(set, context)),
    },
  },
  [policySetShape],
)

const find = ({ world, params }: { world: World; params: Readonly<Record<string, string>> }) =>
  policyWithId(world, params['policy_id'] ?? '')

const spec = 'behaviour/platform#policies'
const policyRendering: Rendering<Policy> = {
  shape: policyShape,
  render: (one, { world }) => policyResource(one, world),
}

const onReadableOrganization = operationsOn('caller', findPolicyOrganizationFor('read'), spec)
const onManagedOrganization = operationsOn('caller', findPolicyOrganizationFor('manage'), spec)
const onReadablePolicy = operationsOn('caller', findPolicyItemFor('read', find), spec)
const onManagedPolicy = operationsOn('caller', findPolicyItemFor('manage', find), spec)

const listPath = '/organizations/:organization_name/policies'
const onePath = '/policies/:policy_id'

export const policyOperations = [
  onReadableOrganization('GET', listPath, {
    id: 'listPolicies',
    summary: 'List the policies of an organization, newest first.',
    query: openQuery({
      ...inclusions.query,
      'search[name]': described(text, 'Part of a name'),
      'filter[kind]': described(text, '`sentinel` or `opa`'),
    }),
    failures: [400],
    reply: { 200: withExtraFields(listOf(policyShape), inclusions.shape) },
    run: ({ context, query }) => {
      const { world, subject, address } = context
      const included = inclusions.read(query.include, context)
      const { 'search[name]': part = '', 'filter[kind]': kind } = query
      const found = policiesOf(world, subject.name)
        .filter(nameFilter(part, ''))
        .filter((one) => !kind || one.kind === kind)
        .toReversed()
      const render = (one: Policy) => included.add(one, policyResource(one, world))
      return ok({ ...pageOf(found, render, address), ...included.members() })
    },
  }),
  onManagedOrganization.document('POST', listPath, policyRendering, {
    id: 'createPolicy',
    summary: 'Add a policy to an organization.',
    body: form,
    run: ({ context: { world, subject }, body }) =>
      createPolicy(world, subject.name, inputOf(body())),
  }),
  onReadablePolicy('GET', onePath, {
    id: 'readPolicy',
    summary: 'Read a policy.',
    ...inclusions.readOperation(policyShape, (policy, { world }) => policyResource(policy, world)),
  }),
  onManagedPolicy.document('PATCH', onePath, policyRendering, {
    id: 'changePolicy',
    summary: 'Change the given attributes of a policy.',
    body: form,
    run: ({ context: { world, subject }, body }) => changePolicy(world, subject, inputOf(body())),
  }),
  onManagedPolicy('DELETE', onePath, {
    id: 'deletePolicy',
    summary: 'Delete a policy, and remove it from its policy sets.',
    run: ({ context: { world, subject } }) => deletePolicy(world, subject),
  }),
  onManagedPolicy('PUT', `${onePath}/upload`, {
    id: 'uploadPolicy',
    summary: 'Upload the text of a policy.',
    bytes: true,
    failures: [413],
    reply: { 200: null },
    run: ({ context: { world, subject, text: content } }) => {
      uploadPolicy(world, subject, content())
      return answer(200, undefined)
    },
  }),
  onReadablePolicy('GET', `${onePath}/download`, {
    id: 'downloadPolicy',
    summary: 'Download the text of a policy.',
    mediaType: 'text/plain',
    reply: { 200: text },
    run: ({ context: { world, subject } }) => answer(200, requireFound(policyText(world, subject))),
  }),
]
