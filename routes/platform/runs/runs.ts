import { list, text } from '../../../state/kernel/shape/kinds.ts'
import { versionWithId } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { refuse, requireFound } from '../../../state/platform/messages.ts'
import { actOnRun, type RunAction } from '../../../state/platform/runs/actions.ts'
import { createRun } from '../../../state/platform/runs/creation.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import {
  blankable,
  inputVariables,
  inState,
  openQuery,
  optionalMembers,
  strictFlag,
  strictText,
  toRunVariable,
} from '../json-api/attributes.ts'
import { relatedId } from '../json-api/body.ts'
import { documentOf, withExtraFields } from '../json-api/resource.ts'
import { objectUrl } from '../objects/object-url.ts'
import { operationsOn } from '../operation.ts'
import { requestSource } from '../test-runs/test-source.ts'
import { runInclusions } from './run-inclusions.ts'
import { runResource, runShape, runType } from './run-resource.ts'
import { findRunFor, requireWorkspace } from './run-scope.ts'

const inputAttributes = optionalMembers({
  message: blankable,
  'is-destroy': strictFlag,
  refresh: strictFlag,
  'refresh-only': strictFlag,
  'replace-addrs': list(text),
  'target-addrs': list(text),
  'policy-paths': list(text),
  'invoke-action-addrs': list(text),
  'auto-apply': strictFlag,
  'plan-only': strictFlag,
  'save-plan': strictFlag,
  'allow-empty-apply': strictFlag,
  'allow-config-generation': strictFlag,
  'debugging-mode': strictFlag,
  'infra-version': strictText,
  variables: inputVariables,
})

/** Headers in which older command-line clients send their version, in either dialect. */
const versionHeaders = ['terraform-version', 'infra-version']

const runRendering = { shape: runShape, render: runResource }

const onNoSubject = operationsOn('caller', () => undefined, 'behaviour/platform#runs')
const onRun = operationsOn(
  'caller',
  findRunFor({ runs: 'read' }),
  'behaviour/platform#run-resource',
)

/** Actions on runs: path, required right, and summary. */
const actions: readonly (readonly [RunAction, RequiredRight, string])[] = [
  ['apply', { runs: 'apply' }, 'Confirm a run, so that it applies its plan.'],
  ['discard', { runs: 'apply' }, 'Discard a waiting run.'],
  ['cancel', { runs: 'apply' }, 'Cancel a run: ask it to stop.'],
  ['force-cancel', 'admin', 'End a run that was asked to stop but has not stopped.'],
  ['force-execute', { runs: 'apply' }, 'Discard the run that this one waits for.'],
]

const operationIds: Readonly<Record<RunAction, string>> = {
  apply: 'applyRun',
  discard: 'discardRun',
  cancel: 'cancelRun',
  'force-cancel': 'forceCancelRun',
  'force-execute': 'forceExecuteRun',
}

export const runOperations = [
  onNoSubject.document('POST', '/runs', runRendering, {
    id: 'createRun',
    summary: 'Start a run of a workspace.',
    body: { type: runType, attributes: inputAttributes },
    failures: [404],
    run({ context, body }) {
      const { world, caller, header } = context
      const { attributes, relationships } = body()
      const workspaceId = relatedId(relationships, 'workspace')
      if (workspaceId === undefined) throw refuse('workspace-required')
      const workspace = requireWorkspace(context, workspaceId, { runs: 'plan' })
      const { variables, ...others } = attributes
      const source = requestSource(header)
      return createRun(
        world,
        workspace,
        relatedId(relationships, 'configuration-version'),
        { ...inState(others), variables: variables?.map(toRunVariable) },
        {
          user: caller.user.id,
          source,
          base: context.origin,
          mayApply: hasWorkspaceRight(world, caller, workspace, { runs: 'apply' }),
          printsLines: source !== 'infra' && versionHeaders.some((name) => header(name)),
        },
      )
    },
  }),
  onRun('GET', '/runs/:run_id', {
    id: 'readRun',
    summary: 'Read a run.',
    query: openQuery(runInclusions.query),
    failures: [400],
    reply: { 200: withExtraFields(documentOf(runShape), runInclusions.shape) },
    run: ({ context, query }) => {
      return ok(
        runInclusions.document(
          query.include,
          context,
          context.subject,
          runResource(context.subject, context),
        ),
      )
    },
  }),
  onRun('GET', '/runs/:run_id/configuration-version/download', {
    id: 'downloadRunConfiguration',
    summary: 'Find the files of the configuration version of a run.',
    spec: 'behaviour/platform#workspace-configuration-versions',
    reply: { 302: null },
    run: ({ context }) => {
      const version = versionWithId(context.world, context.subject.configuration_version)
      const { status, download } = requireFound(version)
      if (status !== 'uploaded' || download === null) throw refuse('not-found')
      return answer(302, undefined, { headers: { location: objectUrl(context, download) } })
    },
  }),
  ...actions.map(([action, right, summary]) =>
    operationsOn('caller', findRunFor(right), 'behaviour/platform#run-actions')(
      'POST',
      `/runs/:run_id/actions/${action}`,
      {
        id: operationIds[action],
        summary,
        body: {
          attributes: optionalMembers({ comment: blankable }),
          topLevel: ['comment'],
          dataOptional: true,
        },
        failures: [403, 409],
        reply: { 202: null },
        run: ({ context: { world, subject, caller }, body }) => {
          const { comment } = body().attributes
          actOnRun(world, subject, action, { actor: caller.user.id, comment: comment ?? undefined })
          return answer(202, undefined)
        },
      },
    ),
  ),
]
