import type { Choice } from '../http/coverage.ts'
import { aclChoices } from './choices/acl.ts'
import { actionChoices } from './choices/actions.ts'
import { agentChoices } from './choices/agent.ts'
import { clientChoices } from './choices/client.ts'
import { clusterChoices } from './choices/cluster.ts'
import { diffChoices } from './choices/diffs.ts'
import { httpChoices } from './choices/http.ts'
import { jobFileChoices } from './choices/job-files.ts'
import { jobChoices } from './choices/jobs.ts'
import { operatorChoices } from './choices/operator.ts'
import { rightsChoices } from './choices/rights.ts'
import { simulationChoices } from './choices/simulation.ts'

/**
 * Every choice of the jobs API that no rule of behaviour/scheduler makes (behaviour/program#what-it-is).
 */
export const schedulerChoices: readonly Choice[] = [
  ...httpChoices,
  ...jobChoices,
  ...actionChoices,
  ...simulationChoices,
  ...diffChoices,
  ...jobFileChoices,
  ...rightsChoices,
  ...aclChoices,
  ...clusterChoices,
  ...agentChoices,
  ...clientChoices,
  ...operatorChoices,
]
