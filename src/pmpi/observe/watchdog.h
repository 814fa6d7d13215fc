/* watchdog.h - ATTUNE_WATCHDOG: a thread that reports in which call a rank has been waiting. */
#ifndef ATN_PMPI_OBSERVE_WATCHDOG_H
#define ATN_PMPI_OBSERVE_WATCHDOG_H

void atn_observe_watchdog_start(int seconds);
void atn_observe_watchdog_stop(void);

#endif
