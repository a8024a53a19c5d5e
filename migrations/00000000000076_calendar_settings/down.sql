DROP TABLE calendar_settings;
