import { defineMachine } from '../../kernel/machine.ts'

const section7 = 'behaviour/scheduler#updates'
const section9 = 'behaviour/scheduler#deployments'

const underWay = ['running', 'paused'] as const

/** The life of a deployment. */
export const deploymentMachine = defineMachine()({
  name: 'deployment',
  states: ['running', 'paused', 'successful', 'failed', 'cancelled'],
  moves: [
    { on: 'succeed', from: underWay, to: 'successful', spec: section7 },
    { on: 'fail', from: underWay, to: 'failed', spec: section7 },
    { on: 'cancel', from: underWay, to: 'cancelled', spec: section7 },
    { on: 'pause', from: underWay, to: 'paused', spec: section9 },
    { on: 'resume', from: underWay, to: 'running', spec: section9 },
  ],
})

/** The ends of a deployment that is under way. */
export type DeploymentEnd = 'succeed' | 'fail' | 'cancel'

/** Tells whether a deployment is not over: it runs, or is paused. */
export function isUnderWay({ Status }: { readonly Status: string }): boolean {
  return underWay.some((status) => status === Status)
}

/** The status of a deployment as one of the machine's states. */
export function statusOf({ Status }: { readonly Status: string }): DeploymentStatus {
  const known = deploymentMachine.states.find((state) => state === Status)
  if (known === undefined) throw new Error(`there is no deployment status ${Status}`)
  return known
}

type DeploymentStatus = (typeof deploymentMachine.states)[number]
