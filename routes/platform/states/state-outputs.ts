import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { isBeingProcessed } from '../../../state/platform/states/state-machine.ts'
import {
  currentStateVersion,
  outputsOf,
  type StateVersion,
  type StateVersionOutput,
} from '../../../state/platform/states/state-versions.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { ok } from '../../http/declare/operation.ts'
import { pageOf } from '../json-api/pagination.ts'
import { documentOf, listOf, unpagedListOf } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext } from '../operation.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import { findOutput, findStateVersionFor } from './state-scopes.ts'
import { outputResource, outputShape } from './state-version-resource.ts'

/** Returns the outputs of a state version. Throws 503 while the outputs are not yet known. */
function knownOutputs(version: StateVersion, { world }: PlatformContext<unknown>) {
  if (isBeingProcessed(version) && !version.outputs_ready) throw refuse('outputs-unknown')
  return outputsOf(world, version)
}

const spec = 'behaviour/platform#state-outputs'
const readOutputs = { state: 'read-outputs' } as const
const onVersion = operationsOn('caller', findStateVersionFor(readOutputs), spec)
const onWorkspace = operationsOn('caller', findWorkspaceFor(readOutputs), spec)
const onOutput = operationsOn('caller', findOutput, spec)

export const stateOutputOperations = [
  onVersion('GET', '/state-versions/:state_version_id/outputs', {
    id: 'listStateVersionOutputs',
    summary: 'List the outputs of a state version by name.',
    failures: [503],
    reply: { 200: listOf(outputShape) },
    run: ({ context }) => {
      const { world, caller, subject, address } = context
      const workspace = requireFound(workspaceWithId(world, subject.workspace))
      const isRevealed = hasWorkspaceRight(world, caller, workspace, { state: 'read' })
      const render = (one: StateVersionOutput) => outputResource(one, isRevealed)
      return ok(pageOf(knownOutputs(subject, context), render, address))
    },
  }),
  onWorkspace('GET', '/workspaces/:workspace_id/current-state-version-outputs', {
    id: 'readCurrentOutputs',
    summary: 'List all outputs of the current state of a workspace, without sensitive values.',
    failures: [503],
    reply: { 200: unpagedListOf(outputShape) },
    run({ context }) {
      const version = requireFound(currentStateVersion(context.world, context.subject.id))
      return ok({ data: knownOutputs(version, context).map((one) => outputResource(one)) })
    },
  }),
  onOutput('GET', '/state-version-outputs/:output_id', {
    id: 'readStateVersionOutput',
    summary: 'Read an output of a state version with its value, sensitive or not.',
    reply: { 200: documentOf(outputShape) },
    run: ({ context }) => ok({ data: outputResource(context.subject, true) }),
  }),
]
