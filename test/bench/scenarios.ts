import type { Scenario } from './scenario.ts'
import { meshScenarios } from './scenarios-mesh.ts'
import { platformScenarios } from './scenarios-platform.ts'
import { schedulerScenarios } from './scenarios-scheduler.ts'
import { secretsScenarios } from './scenarios-secrets.ts'

/** All rows that are measured over HTTP. */
export const scenarios: readonly Scenario[] = [
  ...secretsScenarios,
  ...schedulerScenarios,
  ...platformScenarios,
  ...meshScenarios,
]
