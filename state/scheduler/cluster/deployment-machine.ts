import { defineMachine } from '../../kernel/machine.ts'

const section7 = '3b-scheduler-decisions.md section 7, Updates'

/** The life of a deployment. */
export const deploymentMachine = defineMachine()({
  name: 'deployment',
  states: ['running', 'successful', 'failed', 'cancelled'],
  moves: [
    { on: 'succeed', from: 'running', to: 'successful', spec: section7 },
    { on: 'fail', from: 'running', to: 'failed', spec: section7 },
    { on: 'cancel', from: 'running', to: 'cancelled', spec: section7 },
  ],
})

/** What can happen to a deployment that is under way. */
export type DeploymentEvent = 'succeed' | 'fail' | 'cancel'
