DROP INDEX messages_of_sender;
