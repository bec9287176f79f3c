import type { Choice } from '../../http/coverage.ts'
import { decided } from './decided.ts'

const section = 'behaviour/scheduler#agent'

/** What the agent tells of itself and of the servers. */
export const agentChoices: readonly Choice[] = [
  decided(
    'agent-servers',
    'How many servers there are.',
    'One, which leads in term 2 and is in datacenter dc1; its ID is made from the seed.',
    section,
  ),
  decided(
    'agent-client',
    'Which node the agent is besides being the server.',
    'The first by ID, as lists have them; without nodes it is none, and stats has no client.',
    section,
  ),
  decided(
    'agent-configuration',
    'What the agent tells of its configuration.',
    "What options say, and else the reference's defaults in development mode: ports 4646 to 4648 whichever it answers on, no data directory, integrations without address.",
    section,
  ),
  decided(
    'agent-numbers',
    'What the numbers of the process are.',
    'Constant: 4 processors, 120 goroutines, the last heartbeat 5 s ago of 15 s. Indexes and allocations are counted.',
    section,
  ),
  decided(
    'agent-no-leader',
    'What else the option noLeader does.',
    'As in the reference: what the leader has to answer is 500 "No cluster leader"; reads with stale, the agent, status and regions go on.',
    section,
  ),
  decided(
    'agent-autopilot',
    'What autopilot is configured to do.',
    "The reference's defaults, CreateIndex and ModifyIndex 1; there is no way to change them.",
    section,
  ),
]
