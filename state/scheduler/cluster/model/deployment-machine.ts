import { defineMachine } from '../../../kernel/machine.ts'

const updatesSpec = 'behaviour/scheduler#updates'
const deploymentsSpec = 'behaviour/scheduler#deployments'

const activeStatuses = ['running', 'paused'] as const

export const deploymentMachine = defineMachine()({
  name: 'deployment',
  states: ['running', 'paused', 'successful', 'failed', 'cancelled'],
  moves: [
    { on: 'succeed', from: activeStatuses, to: 'successful', spec: updatesSpec },
    { on: 'fail', from: activeStatuses, to: 'failed', spec: updatesSpec },
    { on: 'cancel', from: activeStatuses, to: 'cancelled', spec: updatesSpec },
    { on: 'pause', from: activeStatuses, to: 'paused', spec: deploymentsSpec },
    { on: 'resume', from: activeStatuses, to: 'running', spec: deploymentsSpec },
  ],
})

export type DeploymentEnd = 'succeed' | 'fail' | 'cancel'

export function isActiveDeployment({ Status }: { readonly Status: string }): boolean {
  return activeStatuses.some((status) => status === Status)
}

/**
 * Converts the status in a row to a state of the machine. Throws an `Error` for an unknown status.
 */
export function deploymentStatusOf({ Status }: { readonly Status: string }): DeploymentStatus {
  const status = deploymentMachine.states.find((state) => state === Status)
  if (status === undefined) throw new Error(`there is no deployment status ${Status}`)
  return status
}

type DeploymentStatus = (typeof deploymentMachine.states)[number]
