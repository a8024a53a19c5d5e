DROP TABLE calendar_events;
