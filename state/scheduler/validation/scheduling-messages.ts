import { defineMessages } from '../../kernel/refusal.ts'

/**
 * Messages about placement, restart, rescheduling and update settings
 * (behaviour/scheduler#validation).
 */
export const { table: schedulingMessages, message } = defineMessages({
  'system-affinity': { text: 'System jobs may not have an affinity block' },
  'system-spread': { text: 'System jobs may not have a spread block' },

  'constraint-operand-missing': { text: 'Missing constraint operand' },
  'constraint-operand-unknown': { text: 'Unknown constraint type {operand}' },
  'constraint-set-target-missing': { text: 'Set contains constraint requires an RTarget' },
  'constraint-version-invalid': { text: '{kind} constraint is invalid: {why}' },
  'affinity-operand-missing': { text: 'Missing affinity operand' },
  'affinity-operand-unknown': { text: 'Unknown affinity operator {operand}' },
  'affinity-set-target-missing': { text: 'Set contains operators require an RTarget' },
  'affinity-version-invalid': { text: '{kind} affinity is invalid: {why}' },
  'operand-target-missing': { text: 'Operator {operand} requires an RTarget' },
  'operand-target-needless': { text: 'Operator {operand} does not support an RTarget' },
  'target-regex-invalid': { text: 'Regular expression failed to compile: {why}' },
  'target-count-invalid': { text: 'Failed to convert RTarget {target} to uint64: {why}' },
  'target-count-zero': {
    text: 'Distinct Property must have an allowed count of 1 or greater: 0 < 1',
  },
  'attribute-missing': { text: 'No LTarget provided but is required by constraint' },
  'affinity-attribute-missing': { text: 'No LTarget provided but is required' },
  'affinity-weight-zero': { text: 'Affinity weight cannot be zero' },
  'affinity-weight-out-of-range': {
    text: 'Affinity weight must be within the range [-100,100]',
  },
  'spread-attribute-missing': { text: 'Missing spread attribute' },
  'spread-weight-out-of-range': {
    text: 'Spread block must have a positive weight from 0 to 100',
  },
  'spread-target-again': { text: 'Spread target value {value} already defined' },
  'spread-percentage-out-of-range': {
    text: 'Spread target percentage for value {value} must be between 0 and 100',
  },
  'spread-percentages-too-high': {
    text: 'Sum of spread target percentages must not be greater than 100%; got {sum}%',
  },

  'restart-mode-unknown': { text: 'Unsupported restart mode: {mode}' },
  'restart-ambiguous': { text: 'Restart policy {mode} with 0 attempts is ambiguous' },
  'restart-interval-short': { text: 'Interval can not be less than 5s (got {interval})' },
  'restart-impossible': {
    text: "Sched can't restart the TaskGroup {attempts} times in an interval of {interval} with a delay of {delay}",
  },

  'reschedule-interval-missing': { text: 'Interval must be a non zero value if Attempts > 0' },
  'reschedule-ambiguous': {
    text: 'Reschedule Policy with Attempts = {attempts}, Interval = {interval}, and Unlimited = true is ambiguous',
  },
  'reschedule-unlimited': { text: 'If Attempts >0, Unlimited cannot also be set to true' },
  'reschedule-delay-short': { text: 'Delay cannot be less than 5s (got {delay})' },
  'reschedule-function-unknown': {
    text: 'Invalid delay function {function}, must be one of [{known}]',
  },
  'reschedule-ceiling-short': { text: 'Max Delay cannot be less than 5s (got {delay})' },
  'reschedule-ceiling-below-delay': {
    text: 'Max Delay cannot be less than Delay {delay} (got {ceiling})',
  },
  'reschedule-interval-short': { text: 'Interval cannot be less than 15s (got {interval})' },
  'reschedule-attempts-constant': {
    text: 'Sched can only make {attempts} attempts in {interval} with initial delay {delay} and delay function {function}',
  },
  'reschedule-attempts-growing': {
    text: 'Sched can only make {attempts} attempts in {interval} with initial delay {delay}, delay function {function}, and delay ceiling {ceiling}',
  },
  'reschedule-interval-needed': {
    text: 'Set the interval to at least {least} to accommodate {attempts} attempts',
  },

  'health-check-unknown': { text: 'Invalid health check given: {check}' },
  'max-parallel-negative': { text: 'Max parallel can not be less than zero: {value} < 0' },
  'canary-negative': { text: 'Canary count can not be less than zero: {value} < 0' },
  'auto-promote-without-canary': {
    text: 'Auto Promote requires a Canary count greater than zero',
  },
  'healthy-time-negative': { text: 'Minimum healthy time may not be less than zero: {least}' },
  'healthy-deadline-missing': {
    text: 'Healthy deadline must be greater than zero: {healthy}',
  },
  'progress-deadline-negative': {
    text: 'Progress deadline must be zero or greater: {progress}',
  },
  'healthy-time-beyond-deadline': {
    text: 'Minimum healthy time must be less than healthy deadline: {least} > {healthy}',
  },
  'healthy-deadline-beyond-progress': {
    text: 'Healthy deadline must be less than progress deadline: {healthy} > {progress}',
  },
  'stagger-missing': { text: 'Stagger must be greater than zero: {stagger}' },
  'migrate-parallel-negative': { text: 'MaxParallel must be >= 0 but found {value}' },
  'migrate-health-check-missing': { text: 'Missing HealthCheck' },
  'migrate-health-check-unknown': { text: 'Invalid HealthCheck: {check}' },
  'migrate-healthy-time-negative': { text: 'MinHealthyTime is {value} and must be >= 0' },
  'migrate-deadline-negative': { text: 'HealthyDeadline is {value} and must be >= 0' },
  'migrate-healthy-time-beyond-deadline': {
    text: 'MinHealthyTime must be less than HealthyDeadline',
  },
})
