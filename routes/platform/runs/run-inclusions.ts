import { users } from '../../../state/platform/accounts/users.ts'
import { versionWithId } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { policyCheckOf } from '../../../state/platform/policies/policy-checks.ts'
import { stagesOf } from '../../../state/platform/run-tasks/stages.ts'
import { costEstimateOf } from '../../../state/platform/runs/cost-estimates.ts'
import { commentsOf, eventsOf } from '../../../state/platform/runs/run-events.ts'
import type { Run } from '../../../state/platform/runs/runs.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { userResource, userShape } from '../accounts/users.ts'
import { includesNothing, inclusionsOf } from '../json-api/include.ts'
import { policyCheckResource, policyCheckShape } from '../policies/policy-check-resource.ts'
import { stageResource, stageShape } from '../run-tasks/stage-resource.ts'
import { versionResource, versionShape } from '../test-runs/configuration-versions.ts'
import { ingressOf, ingressShape } from '../test-runs/ingress-attributes.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'
import { costEstimateResource, costEstimateShape } from './cost-estimates.ts'
import { applyResource, applyShape, planResource, planShape } from './plan-resource.ts'
import { commentResource, commentShape, eventResource, eventShape } from './run-events.ts'

/** Resources that replies about runs can include (behaviour/platform#include). */
export const runInclusions = inclusionsOf<Run>(
  {
    plan: { find: (run, context) => [planResource(run, context)] },
    apply: { find: (run, context) => [applyResource(run, context)] },
    'created-by': {
      find({ created_by }, { world, caller }) {
        const user = world.table(users).get(created_by)
        return user === undefined ? [] : [userResource(world, user, caller)]
      },
    },
    'configuration-version': {
      find({ configuration_version: id }, context) {
        const version = versionWithId(context.world, id)
        return version === undefined ? [] : [versionResource(version, context)]
      },
    },
    workspace: {
      find({ workspace: id }, context) {
        const workspace = workspaceWithId(context.world, id)
        return workspace === undefined ? [] : [workspaceResource(workspace, context)]
      },
    },
    'configuration-version.ingress-attributes': {
      find({ configuration_version: id }, { world }) {
        const version = versionWithId(world, id)
        return version === undefined ? [] : ingressOf(version)
      },
    },
    'cost-estimate': {
      find({ id }, { world }) {
        const estimate = costEstimateOf(world, id)
        return estimate === undefined ? [] : [costEstimateResource(estimate)]
      },
    },
    'task-stages': {
      find: ({ id }, { world, caller }) =>
        stagesOf(world, id).map((stage) => stageResource(world, caller, stage)),
    },
    'policy-checks': {
      find(run, context) {
        const check = policyCheckOf(context.world, run.id)
        return check === undefined ? [] : [policyCheckResource(check, run, context)]
      },
    },
    'tf-policy-evaluations': includesNothing,
    comments: { find: ({ id }, { world }) => commentsOf(world, id).map(commentResource) },
    'run-events': { find: ({ id }, { world }) => eventsOf(world, id).map(eventResource) },
  },
  [
    planShape,
    applyShape,
    userShape,
    versionShape,
    workspaceShape,
    stageShape,
    costEstimateShape,
    policyCheckShape,
    commentShape,
    eventShape,
    ingressShape,
  ],
)
