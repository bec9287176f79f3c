import { any, map, text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Assessment,
  assessmentAttributes,
  assessmentWithId,
  currentAssessment,
} from '../../../state/platform/assessments/assessments.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import { managedResourcesOf } from '../../../state/platform/states/managed-resources.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { attributeRenderer } from '../json-api/attributes.ts'
import { toOne } from '../json-api/relations.ts'
import { type Resource, relationOf, resourceShape, selfLink } from '../json-api/resource.ts'
import { operationsOn, type Scope } from '../operation.ts'
import { requireWorkspace } from '../runs/run-scope.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'

const type = 'assessment-results'
const renderer = attributeRenderer(assessmentAttributes)
const outputs = { 'json-output': text, 'json-schema': text, 'log-output': text }

const shape = resourceShape(type, renderer.shape, {
  relationships: struct({ workspace: relationOf('workspaces') }),
  links: struct({ ...selfLink.fields, ...outputs }),
})

function resourceOf(assessment: Assessment): Resource {
  const { id, workspace } = assessment
  const self = `/api/v2/assessment-results/${id}`
  const links = Object.keys(outputs).map((name) => [name, `${self}/${name}`])
  return {
    id,
    type,
    attributes: renderer.render(assessment),
    relationships: { workspace: toOne('workspaces', workspace) },
    links: { self, ...Object.fromEntries(links) },
  }
}

/**
 * Returns a function that finds the assessment in the path. The function throws 404 unless the
 * caller has the given right on the workspace of the assessment, and 401 if the organization does
 * not accept the caller's kind of token.
 */
function findAssessmentFor(right: RequiredRight): (scope: Scope) => Assessment {
  return (scope) => {
    const id = scope.params['assessment_result_id'] ?? ''
    const assessment = requireFound(assessmentWithId(scope.world, id))
    requireWorkspace(scope, assessment.workspace, right)
    return assessment
  }
}

/** Returns a minimal JSON plan. The plan lists only the resources with drift. */
function jsonOutput(world: World, { workspace, drifted }: Assessment) {
  const resources = drifted ? managedResourcesOf(world, workspace) : []
  const resource_drift = resources.map(({ address, provider_type, name }) => ({
    address,
    mode: 'managed',
    type: provider_type,
    name,
    change: { actions: ['update'] },
  }))
  return { format_version: '1.2', resource_drift, errored: false }
}

function logOutput(assessment: Assessment): string {
  const { succeeded, error_msg, resources_drifted: drifted, checks_failed: failed } = assessment
  if (!succeeded) return `Error: ${error_msg}\n`
  return `Drifted resources: ${drifted}\nFailed checks: ${failed}\n`
}

const spec = 'behaviour/platform#assessments'
const rendering = { shape, render: resourceOf }

const onAssessment = operationsOn('caller', findAssessmentFor({ runs: 'read' }), spec)
const onAdministered = operationsOn('caller', findAssessmentFor('admin'), spec)
const onWorkspace = operationsOn('caller', findWorkspaceFor({ runs: 'read' }), spec)
const onePath = '/assessment-results/:assessment_result_id'

export const assessmentOperations = [
  onWorkspace.document('GET', '/workspaces/:workspace_id/current-assessment-result', rendering, {
    id: 'readCurrentAssessment',
    summary: 'Read the newest assessment of a workspace.',
    run: ({ context: { world, subject } }) => requireFound(currentAssessment(world, subject.id)),
  }),
  onAssessment.document('GET', onePath, rendering, {
    id: 'readAssessment',
    summary: 'Read an assessment of a workspace.',
    run: ({ context: { subject } }) => subject,
  }),
  onAdministered('GET', `${onePath}/json-output`, {
    id: 'readAssessmentOutput',
    summary: 'Read the resources that differ from the state, as JSON.',
    reply: { 200: map(any) },
    run: ({ context: { world, subject } }) => ok(jsonOutput(world, subject)),
  }),
  onAdministered('GET', `${onePath}/json-schema`, {
    id: 'readAssessmentSchema',
    summary: 'Read the schemas of the providers of an assessment, of which there are none.',
    reply: { 200: map(any) },
    run: () => ok({ format_version: '1.0', provider_schemas: {} }),
  }),
  onAdministered('GET', `${onePath}/log-output`, {
    id: 'readAssessmentLog',
    summary: 'Read the output of an assessment.',
    mediaType: 'text/plain',
    reply: { 200: text },
    run: ({ context: { subject } }) => answer(200, logOutput(subject)),
  }),
]
